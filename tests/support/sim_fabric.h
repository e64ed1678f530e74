// A fabric in simulated time: nodes with a prober and a responder each, directed paths between them
// that delay, drop, double, reorder and mark, and hosts that stall. Runs the real logic over fake
// transports; a minute takes milliseconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "probes/prober.h"
#include "probes/responder.h"
#include "tests/support/manual_clock.h"

namespace rdmadiag::test {

struct SimPath {
  std::chrono::nanoseconds delay = std::chrono::microseconds(10);
  std::chrono::nanoseconds jitter{0};  // more of it reorders
  double loss = 0;
  std::uint32_t lost_label = 0;  // 0: of every label
  double duplicate = 0;
  bool mark = false;                          // ECN
  std::optional<std::uint8_t> traffic_class;  // re-marked so
  int hops = 1;
};

class SimFabric;

class SimTransport final : public probes::UdTransport {
 public:
  SimTransport(SimFabric& fabric, std::uint32_t node, std::size_t pairs, std::uint32_t first_qpn,
               std::uint32_t qkey);

  [[nodiscard]] const core::Gid& gid() const override { return gid_; }
  [[nodiscard]] std::size_t queue_pairs() const override { return pairs_; }
  [[nodiscard]] std::uint32_t qpn(std::size_t qp) const override {
    return first_qpn_ + static_cast<std::uint32_t>(qp);
  }
  [[nodiscard]] std::uint32_t qkey() const override { return qkey_; }
  [[nodiscard]] probes::DeviceClock device_clock() const override;
  [[nodiscard]] std::size_t path_mtu() const override { return 1024; }
  void prepare(const probes::UdAddress& to, std::uint32_t label, std::uint8_t) override;
  probes::Posted send(std::size_t qp, const probes::UdSend& send) override;
  [[nodiscard]] const std::string& last_error() const override { return error_; }
  void forget_address(const core::Gid& gid) override { forgotten.push_back(gid); }
  core::Result<std::size_t> poll(probes::UdEvents&) override { return std::size_t{0}; }

  std::vector<core::Gid> forgotten;
  probes::Posted refuse = probes::Posted::kYes;  // anything else: every send ends so

 private:
  SimFabric& fabric_;
  std::uint32_t node_;
  std::size_t pairs_;
  std::uint32_t first_qpn_;
  std::uint32_t qkey_;
  core::Gid gid_{};
  std::string error_ = "refused by the test";
  std::set<std::pair<core::Gid, std::uint32_t>> addresses_;  // with the label
};

struct SimNode {
  std::uint32_t epoch = 0;
  bool alive = true;
  core::SteadyTime stalled_until{};
  bool hardware_time = false;
  std::unique_ptr<SimTransport> probing;
  std::unique_ptr<SimTransport> responding;
  std::unique_ptr<probes::Prober> prober;
  std::unique_ptr<probes::Responder> responder;

  [[nodiscard]] probes::PeerEndpoint endpoint() const;
  [[nodiscard]] core::ProbeSnapshot snapshot() const;
};

class SimFabric {
 public:
  SimFabric(std::size_t nodes, std::uint32_t seed, std::size_t queue_pairs = 2,
            bool hardware_time = false);

  [[nodiscard]] SimNode& node(std::size_t index) { return *nodes_[index]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  // Everybody probes everybody else of one leaf at this interval, resolved.
  void probe_all(std::chrono::nanoseconds interval);
  void probe(std::size_t from, const std::vector<std::size_t>& to,
             std::chrono::nanoseconds interval);
  [[nodiscard]] static std::string name(std::size_t node) { return "n" + std::to_string(node); }

  SimPath& path(std::size_t from, std::size_t to) { return paths_[{from, to}]; }
  void stall(std::size_t node, std::chrono::nanoseconds duration);
  void kill(std::size_t node) { nodes_[node]->alive = false; }
  // A new agent with another epoch; with the same QPNs it answers STALE to the old one's.
  void restart(std::size_t node, bool same_qpns);
  // What an address handle takes, the first time for each peer and label.
  std::chrono::nanoseconds address_time{0};
  // Answers look-ups at once when set; else they wait in `lookups`.
  bool answer_lookups = true;
  std::vector<std::pair<std::size_t, std::string>> lookups;

  void run_for(std::chrono::nanoseconds duration);
  [[nodiscard]] ManualClock& clock() { return clock_; }
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }

 private:
  friend class SimTransport;
  struct Event {
    core::SteadyTime at;
    std::uint64_t order;
    std::function<void()> run;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void start(std::size_t index, bool same_qpns);
  void transmit(std::uint32_t from, std::size_t qp, const probes::UdSend& send,
                SimTransport& transport);
  void deliver(std::size_t to, std::uint32_t qpn, probes::UdArrival arrival,
               const std::vector<std::byte>& bytes, std::uint32_t qkey);
  void at(core::SteadyTime when, std::function<void()> run);
  void when_awake(std::size_t node, std::function<void(SimNode&)> run);
  [[nodiscard]] probes::Tick tick(const SimNode& node, core::SteadyTime when) const;
  void work(std::size_t index);
  [[nodiscard]] bool chance(double probability);

  ManualClock clock_;
  std::mt19937 random_;
  std::size_t queue_pairs_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, SimPath> paths_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t next_order_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace rdmadiag::test
