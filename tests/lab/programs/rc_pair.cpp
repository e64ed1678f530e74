// For the lab: RC probes from one device to another, both ends in one process on one thread, the
// control channel a function call. Says in a line of JSON, four times a second, what the prober
// found. Ends on SIGTERM.
//
//   lab_rc_pair FROM TO [send|write|read] [reliable|unreliable]
#include <poll.h>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/gid.h"
#include "probes/rc_acceptor.h"
#include "probes/rc_prober.h"
#include "probes/verbs/rc_open.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

volatile std::sig_atomic_t stopping = 0;

constexpr std::uint8_t kPort = 1;

// One end: its device opened, followed and opened again.
class End {
 public:
  End(std::string name, std::size_t connections) : name_(std::move(name)), most_(connections) {}

  // True when it was opened or closed.
  bool look() {
    if (device_ && !device_->still_there()) {
      endpoint_.reset();
      device_.reset();
      return true;
    }
    if (device_) return false;
    auto device = Device::open({.name = name_, .node_guid = {}});
    if (!device) return say(device.error().message());
    device_.emplace(std::move(*device));
    auto endpoint = open();
    if (endpoint) {
      endpoint_ = std::move(*endpoint);
      return true;
    }
    device_.reset();
    return say(endpoint.error().message());
  }
  core::Result<std::unique_ptr<RcEndpoint>> open() const {
    const auto port = rc_port();
    if (!port) return tl::make_unexpected(port.error());
    return open_rc_endpoint(*device_, {.port = *port, .max_connections = most_}, clock_);
  }
  [[nodiscard]] RcEndpoint* endpoint() const { return endpoint_.get(); }
  [[nodiscard]] DeviceEvents events() const {
    return device_ ? device_->take_events(kPort) : DeviceEvents{};
  }
  [[nodiscard]] std::optional<bool> active() const {
    const auto port = device_ ? device_->query_port(kPort) : core::fail("closed");
    if (!port) return std::nullopt;
    return port->is_active();
  }
  void follow_gid() {
    if (!endpoint_) return;
    if (const auto port = rc_port()) endpoint_->port_changed(*port);
  }
  void add_descriptors(std::vector<int>& descriptors) const {
    if (!endpoint_) return;
    endpoint_->add_descriptors(descriptors);
    descriptors.push_back(device_->event_fd());
  }

 private:
  core::Result<RcPort> rc_port() const {
    const auto port = device_->query_port(kPort);
    if (!port) return tl::make_unexpected(port.error());
    const auto gids = device_->gids(kPort);
    if (!gids) return tl::make_unexpected(gids.error());
    const auto protocol = device_->protocol(*port);
    const auto choice = core::choose_gid(*gids, protocol);
    if (!choice.entry) return core::fail(choice.reason);
    return RcPort{.number = kPort,
                  .protocol = protocol,
                  .gid = *choice.entry,
                  .lid = port->lid,
                  .mtu_bytes = port->active_mtu_bytes};
  }
  bool say(const std::string& problem) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), problem.c_str());
    return false;
  }
  std::string name_;
  std::size_t most_;
  core::SystemClock clock_;
  std::optional<Device> device_;
  std::unique_ptr<RcEndpoint> endpoint_;
};

class Pair {
 public:
  Pair(const std::string& from, const std::string& to, RcOperation operation, RcService service)
      : random_(random_from_system()),
        from_(from, 8),
        to_(to, 64),
        prober_({.nic = from,
                 .epoch = make_epoch(random_),
                 .interval = 100ms,
                 .traffic_class = 104,
                 .flow_label = 5,
                 .operation = operation,
                 .service = service},
                random_, clock_),
        acceptor_({.epoch = make_epoch(random_),
                   .one_sided = true,
                   .traffic_class = 104,
                   .flow_label = 5},
                  random_, clock_) {
    prober_.set_targets({{.peer = to, .hash = 0}});
  }
  ~Pair() {
    prober_.attach(nullptr);
    acceptor_.attach(nullptr);
  }

  void run() {
    core::SteadyTime next_look = clock_.steady();
    while (stopping == 0) {
      if (clock_.steady() >= next_look) {
        next_look = clock_.steady() + 250ms;
        look();
        report();
      }
      step();
      sleep(next_look);
    }
  }

 private:
  void look() {
    if (from_.look()) prober_.attach(from_.endpoint());
    if (to_.look()) acceptor_.attach(to_.endpoint());
    from_.follow_gid();
    to_.follow_gid();
    if (const auto active = from_.active()) prober_.set_port_active(*active);
  }
  void step() {
    const DeviceEvents events = from_.events();
    for (const auto qpn : events.broken_qps) prober_.qp_broken(qpn);
    for (const PortChange change : events.port_changes)
      if (change == PortChange::kUp) prober_.port_came_up();
    for (const auto qpn : to_.events().broken_qps) acceptor_.qp_broken(qpn);
    prober_.work();
    acceptor_.work();
    for (const RcRequest& request : prober_.take_requests()) {
      prober_.answered(request.id, acceptor_.accept("lab", request.local));
    }
    drain();
  }
  void drain() {
    for (bool any = true; any;) {
      any = false;
      if (from_.endpoint() != nullptr) any |= from_.endpoint()->poll(prober_).value_or(0) > 0;
      if (to_.endpoint() != nullptr) any |= to_.endpoint()->poll(acceptor_).value_or(0) > 0;
    }
  }
  void sleep(core::SteadyTime until) {
    if (from_.endpoint() != nullptr) static_cast<void>(from_.endpoint()->arm());
    if (to_.endpoint() != nullptr) static_cast<void>(to_.endpoint()->arm());
    drain();
    if (const auto next = prober_.next_wakeup()) until = std::min(until, *next);
    std::vector<int> descriptors;
    from_.add_descriptors(descriptors);
    to_.add_descriptors(descriptors);
    std::vector<pollfd> polled;
    for (const int fd : descriptors) polled.push_back({fd, POLLIN, 0});
    const auto wait = std::max<std::chrono::nanoseconds>(until - clock_.steady(), 0ns);
    const timespec time{0, std::min<std::chrono::nanoseconds>(wait, 999ms).count()};
    ppoll(polled.data(), polled.size(), &time, nullptr);
    ++wakeups_;
  }
  void report() {
    core::RcProbes probes;
    prober_.fill(probes);
    const core::RcPeer& peer = probes.peers.at(0);
    nlohmann::json line = {{"up", peer.up},
                           {"problem", peer.problem},
                           {"sent", probes.sent},
                           {"arrived", probes.arrived},
                           {"down_seconds", probes.down_seconds},
                           {"accepted", acceptor_.connections()},
                           {"wakeups", wakeups_}};
    if (peer.last_rtt_seconds) line["rtt_us"] = *peer.last_rtt_seconds * 1e6;
    for (std::size_t i = 0; i < probes.rebuilds.size(); ++i) {
      const auto name = core::rc_rebuild_reason_name(static_cast<core::RcRebuildReason>(i));
      line["rebuilds"][std::string(name)] = probes.rebuilds[i];
    }
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }

  core::SystemClock clock_;
  RandomSource random_;
  End from_;
  End to_;
  RcProber prober_;
  RcAcceptor acceptor_;
  std::uint64_t wakeups_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) return 2;
  const std::string operation = arguments.size() > 2 ? arguments[2] : "send";
  const bool unreliable = arguments.size() > 3 && arguments[3] == "unreliable";
  std::signal(SIGTERM, [](int) { stopping = 1; });
  Pair(arguments[0], arguments[1],
       operation == "read"    ? RcOperation::kRead
       : operation == "write" ? RcOperation::kWrite
                              : RcOperation::kSend,
       unreliable ? RcService::kUnreliable : RcService::kReliable)
      .run();
}
