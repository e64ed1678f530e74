#include "tests/support/ud_flood.h"

#include <thread>
#include <utility>

#include "agent/core/gid.h"

namespace rdmadiag::test {
namespace {

using namespace probes;

constexpr std::uint8_t kPort = 1;
constexpr std::uint64_t kBurst = 64;  // between two looks at the pace
const core::SystemClock kClock;

class Listener final : public UdEvents {
 public:
  explicit Listener(UdFlood::Counts& counts) : counts_(counts) {}
  void sent(const WorkId& /*id*/, bool success, const Tick& /*tick*/) override {
    ++(success ? counts_.completed : counts_.failed);
  }
  void received(const UdArrival& /*arrival*/) override { ++counts_.answers; }
  void received_malformed() override {}

 private:
  UdFlood::Counts& counts_;
};

Message message() {
  return {.session = 1, .sequence = 1, .source_epoch = 1, .target_epoch = 0, .label = 1};
}

}  // namespace

UdFlood::UdFlood(std::unique_ptr<UdEndpoint> endpoint, const UdAddress& target, const ProbeKey& key)
    : endpoint_(std::move(endpoint)),
      target_(target),
      route_{.source_gid = endpoint_->gid(),
             .target_gid = target.gid,
             .source_qpn = endpoint_->qpn(0),
             .target_qpn = target.qpn},
      replayed_(encode_message(message(), route_, key)),
      wrong_key_{.id = key.id, .secret = {0xaa}} {}

core::Result<UdFlood> UdFlood::open(const Device& device, const UdAddress& target,
                                    const ProbeKey& key) {
  const auto port = device.query_port(kPort);
  if (!port) return tl::make_unexpected(port.error());
  const auto gids = device.gids(kPort);
  if (!gids) return tl::make_unexpected(gids.error());
  const auto choice = core::choose_gid(*gids, device.protocol(*port));
  if (!choice.entry) return core::fail(choice.reason);
  UdEndpointOptions options;
  options.gid = *choice.entry;
  options.mtu_bytes = port->active_mtu_bytes;
  options.qkey = 0x11111111;
  auto endpoint = UdEndpoint::create(device, options, kClock);
  if (!endpoint) return tl::make_unexpected(endpoint.error());
  return UdFlood(std::move(*endpoint), target, key);
}

std::vector<std::byte> UdFlood::make(std::size_t kind) {
  std::vector<std::byte> bytes(replayed_.begin(), replayed_.end());
  if (kind == 0) {
    bytes.resize(1 + random_() % 256);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
  } else if (kind == 1) {
    bytes.resize(random_() % bytes.size());
  } else if (kind == 2) {
    const MessageBytes wrong = encode_message(message(), route_, wrong_key_);
    bytes.assign(wrong.begin(), wrong.end());
  }
  return bytes;
}

core::Result<UdFlood::Counts> UdFlood::run(std::chrono::nanoseconds time, double rate) {
  Counts counts;
  Listener listener(counts);
  const core::SteadyTime begin = kClock.steady();
  for (std::uint64_t i = 0; kClock.steady() - begin < time;) {
    if (rate > 0 && i % kBurst == 0) {
      const std::chrono::duration<double> due(static_cast<double>(i) / rate);
      std::this_thread::sleep_until(std::chrono::steady_clock::time_point(begin) +
                                    std::chrono::duration_cast<std::chrono::nanoseconds>(due));
    }
    const std::size_t kind = i % kKinds.size();
    const auto payload = make(kind);
    const UdSend send{
        .id = {}, .to = target_, .label = 1, .payload = payload, .length = payload.size()};
    if (endpoint_->send(0, send) == Posted::kYes) {
      ++counts.sent.at(kind);
      ++i;
    }
    if (const auto polled = endpoint_->poll(listener); !polled) {
      return tl::make_unexpected(polled.error());
    }
  }
  return counts;
}

}  // namespace rdmadiag::test
