#include "probes/bench/service.h"

#include <fmt/format.h>

#include <utility>

namespace rdmadiag::probes {
namespace {

BenchResponse refuse(int status, const std::string& why) { return {status, why + '\n'}; }

constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;

}  // namespace

std::string BenchService::new_name() const {
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", parts_.random(), parts_.random(), parts_.random(),
                     parts_.random());
}

core::Result<BenchPort> BenchService::choose(const BenchOffer& offer) const {
  std::string others;
  for (const BenchPort& port : parts_.ports()) {
    if (!offer.device.empty() && port.device != offer.device) continue;
    if (port.protocol == offer.protocol) return port;
    others += (others.empty() ? "" : ", ") + port.device + " (" +
              std::string(core::protocol_name(port.protocol)) + ")";
  }
  const std::string wanted(core::protocol_name(offer.protocol));
  if (!others.empty()) {
    return core::fail("no active port of the peer is " + wanted + ", only " + others);
  }
  if (!offer.device.empty()) return core::fail("the peer has no active port of " + offer.device);
  return core::fail("the peer has no active RDMA port");
}

std::function<void(const std::string&)> BenchService::ended_line(const std::string& from) const {
  if (!parts_.tell) return {};
  return [tell = parts_.tell, from](const std::string& why) {
    tell("the run of " + from + " has ended: " + why);
  };
}

void BenchService::forget_finished(Runs& ended) {
  for (auto next = runs_.begin(); next != runs_.end();) {
    const auto current = next++;
    if (current->second.session->finished()) ended.insert(runs_.extract(current));
  }
}

BenchResponse BenchService::open(std::string_view body) {
  const BenchPermission permission = parts_.permission();
  if (!permission.enabled) return refuse(kForbidden, permission.refusal);
  const auto offer = decode_bench_offer(body);
  if (!offer) return refuse(kBadRequest, offer.error().message());
  const auto port = choose(*offer);
  if (!port) return refuse(kConflict, port.error().message());
  const std::string name = new_name();
  Runs ended;  // joined outside of the lock
  std::shared_ptr<BenchSession> session;
  {
    const std::scoped_lock hold(mutex_);
    forget_finished(ended);
    if (runs_.size() >= permission.most_concurrent) {
      return refuse(kConflict, "the peer is busy with the run of " + runs_.begin()->second.from);
    }
    session = std::make_shared<BenchSession>(BenchSessionOptions{.device = port->device,
                                                                 .port = port->port,
                                                                 .placement = parts_.placement,
                                                                 .most = permission.most,
                                                                 .ended = ended_line(offer->from)},
                                             *offer, parts_.random, parts_.clock);
    runs_[name] = {offer->from, session};
  }
  const auto opened = session->opened();
  if (!opened) {
    const std::scoped_lock hold(mutex_);
    ended.insert(runs_.extract(name));
    return refuse(kConflict, opened.error().message());
  }
  tell("a run of " + offer->from + " on " + port->device + " begins");
  return {200, encode_bench(
                   BenchAnswer{.run = name,
                               .device = port->device,
                               .placement = opened->placement,
                               .most_seconds = static_cast<std::uint32_t>(permission.most.count()),
                               .qkey = opened->ends.qkey,
                               .reads = opened->ends.reads,
                               .ends = opened->ends.ends})};
}

BenchResponse BenchService::act(std::string_view body) {
  const auto command = decode_bench_command(body);
  if (!command) return refuse(kBadRequest, command.error().message());
  Run run;
  {
    const std::scoped_lock hold(mutex_);
    const auto found = runs_.find(command->run);
    if (found == runs_.end()) return refuse(kNotFound, "there is no such run");
    run = found->second;
  }
  const BenchReport report = run.session->act(*command);
  if (command->action == BenchAction::kClose) {
    const std::scoped_lock hold(mutex_);
    runs_.erase(command->run);
  }
  return {200, encode_bench(report)};
}

void BenchService::stop() {
  Runs ended;
  const std::scoped_lock hold(mutex_);
  for (auto& [name, run] : runs_) run.session->close();
  ended.swap(runs_);
}

std::size_t BenchService::runs() {
  Runs ended;
  const std::scoped_lock hold(mutex_);
  forget_finished(ended);
  return runs_.size();
}

}  // namespace rdmadiag::probes
