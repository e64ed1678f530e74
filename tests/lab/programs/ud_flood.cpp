// For the lab: a hostile host that floods a responder's queue pair with datagrams that no honest
// agent sends, as fast as it can: random bytes, cut short, signed with a wrong key, and one that
// was signed right, again and again. Says as a line of JSON how many of each it sent.
//
//   lab_ud_flood DEVICE TARGET_GID TARGET_QPN TARGET_QKEY KEY_FILE SECONDS
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "agent/core/gid.h"
#include "probes/verbs/ud_endpoint.h"
#include "probes/wire.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;

namespace {

constexpr std::uint8_t kPort = 1;
constexpr std::array<const char*, 4> kKinds = {"random", "short", "wrong_key", "replayed"};

[[noreturn]] void give_up(const std::string& problem) {
  std::fprintf(stderr, "lab_ud_flood: %s\n", problem.c_str());
  std::exit(1);
}

template <class Value>
Value must(core::Result<Value> result) {
  if (!result) give_up(result.error().message());
  return std::move(*result);
}

class Nothing final : public UdEvents {
 public:
  void sent(const WorkId& /*id*/, bool success, const Tick& /*tick*/) override {
    (success ? completed : failed)++;
  }
  void received(const UdArrival& /*arrival*/) override { ++answers; }
  void received_malformed() override {}

  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t answers = 0;
};

class Payloads {
 public:
  Payloads(const UdEndpoint& endpoint, const UdAddress& target, const ProbeKey& key)
      : route_{.source_gid = endpoint.gid(),
               .target_gid = target.gid,
               .source_qpn = endpoint.qpn(0),
               .target_qpn = target.qpn},
        replayed_(encode_message(message(), route_, key)),
        wrong_key_{.id = key.id, .secret = {0xaa}} {}

  std::vector<std::byte> make(std::size_t kind) {
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

 private:
  static Message message() {
    return {.session = 1, .sequence = 1, .source_epoch = 1, .target_epoch = 0, .label = 1};
  }
  Route route_;
  MessageBytes replayed_;
  ProbeKey wrong_key_;
  std::mt19937 random_{1};
};

}  // namespace

int main(int count, char** words) {
  if (count != 7) give_up("DEVICE TARGET_GID TARGET_QPN TARGET_QKEY KEY_FILE SECONDS");
  const auto device = must(Device::open({.name = words[1], .node_guid = {}}));
  const auto port = must(device.query_port(kPort));
  const auto gids = must(device.gids(kPort));
  const auto choice = core::choose_gid(gids, device.protocol(port));
  if (!choice.entry) give_up(choice.reason);
  const auto gid = core::parse_gid(words[2]);
  if (!gid) give_up("no GID");
  const UdAddress target{.gid = *gid,
                         .lid = 0,
                         .qpn = static_cast<std::uint32_t>(std::stoul(words[3])),
                         .qkey = static_cast<std::uint32_t>(std::stoul(words[4]))};
  const auto keys = must(read_key_file(words[5]));
  const core::SystemClock clock;
  UdEndpointOptions options;
  options.gid = *choice.entry;
  options.mtu_bytes = port.active_mtu_bytes;
  options.qkey = 0x11111111;
  const auto endpoint = must(UdEndpoint::create(device, options, clock));
  Payloads payloads(*endpoint, target, keys.front());
  std::array<std::uint64_t, kKinds.size()> sent{};
  Nothing events;
  const auto end = clock.steady() + std::chrono::seconds(std::stol(words[6]));
  for (std::uint64_t i = 0; clock.steady() < end;) {
    const std::size_t kind = i % kKinds.size();
    const auto payload = payloads.make(kind);
    const UdSend send{
        .id = {}, .to = target, .label = 1, .payload = payload, .length = payload.size()};
    if (endpoint->send(0, send) == Posted::kYes) {
      ++sent.at(kind);
      ++i;
    }
    if (const auto polled = endpoint->poll(events); !polled) give_up(polled.error().message());
  }
  nlohmann::json said = {
      {"completed", events.completed}, {"failed", events.failed}, {"answers", events.answers}};
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) said[kKinds.at(kind)] = sent.at(kind);
  std::printf("%s\n", said.dump().c_str());
  return 0;
}
