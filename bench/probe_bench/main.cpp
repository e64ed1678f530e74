// What probing costs: RNICs with their real threads, probers and responders in one process, over
// the fake libibverbs of the tests. Says in one line of JSON what a run took; bench/probe runs the
// cases and makes a table.
//
//   probe_bench TARGETS SECONDS [RNICS [FLOOD]]      0 targets: idle; FLOOD: hostile datagrams a
//                                                    second to the first responder
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "agent/core/gid.h"
#include "bench/probe_bench/usage.h"
#include "probes/pinglist.h"
#include "probes/verbs/rnic.h"
#include "tests/support/fake_verbs.h"
#include "tests/support/ud_flood.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kEpoch = 0x5eed;
constexpr std::size_t kConnections = 8;  // of each RNIC, as the configuration has it

constexpr const char* kHostile = "hostile";

std::string device_name(std::size_t index) { return "rnic" + std::to_string(index); }

// The responders of the same process under as many names as there are targets.
std::string peer_name(std::size_t target) { return "peer" + std::to_string(target); }

class Mesh {
 public:
  explicit Mesh(std::size_t rnics) {
    test::FakeVerbs& fake = test::FakeVerbs::instance();
    fake.reset();
    const auto keys = std::make_shared<KeyRing>(make_local_key());
    keys->set_shared({key_});
    const auto clock = std::make_shared<const core::SystemClock>();
    for (std::size_t i = 0; i < rnics; ++i) {
      const std::string gid = "::ffff:10.0.0." + std::to_string(i + 1);
      fake.add_device(device_name(i), core::parse_gid(gid).value());
    }
    fake.add_device(kHostile, core::parse_gid("::ffff:10.0.1.1").value());
    for (std::size_t i = 0; i < rnics; ++i) rnics_.push_back(make(i, keys, clock));
  }

  [[nodiscard]] bool wait_open() const {
    return wait([this] {
      for (const auto& rnic : rnics_) {
        if (!rnic->snapshot().running || rnic->endpoint().qpn == 0) return false;
      }
      return true;
    });
  }
  // Each target once a second, by one RNIC or the other.
  void probe(std::size_t targets) {
    std::vector<std::vector<ProbeTarget>> lists(rnics_.size());
    for (std::size_t target = 0; target < targets; ++target) {
      const std::size_t from = target % rnics_.size();
      lists[from].push_back({.peer = peer_name(target),
                             .leaf = "leaf" + std::to_string(target / 32),
                             .scope = core::ProbeScope::kLeaf,
                             .interval = 1s,
                             .hash = pair_hash(device_name(from), peer_name(target)),
                             .own_host = true});
    }
    for (std::size_t from = 0; from < rnics_.size(); ++from) {
      rnics_[from]->set_targets(lists[from]);
      for (std::size_t i = 0; i < lists[from].size(); ++i) {
        const Rnic& responder = *rnics_[(from + 1 + i) % rnics_.size()];
        rnics_[from]->set_peer(lists[from][i].peer, responder.endpoint().target(kEpoch),
                               PeerReachability::kAnswers);
      }
    }
    if (targets > 0) connect();
  }
  // Decided probes, and what came of them.
  [[nodiscard]] std::map<std::string, std::uint64_t> outcomes() const {
    std::map<std::string, std::uint64_t> sum;
    for (const auto& rnic : rnics_) {
      const core::ProbeSnapshot snapshot = rnic->snapshot();
      for (std::size_t i = 0; i < snapshot.outcomes.size(); ++i) {
        const auto name = core::probe_outcome_name(static_cast<core::ProbeOutcome>(i));
        if (snapshot.outcomes[i] > 0) sum[std::string(name)] += snapshot.outcomes[i];
      }
      sum["rc"] += snapshot.rc.arrived;
    }
    return sum;
  }
  // By who knows the key of all but is no member.
  [[nodiscard]] core::Result<test::UdFlood::Counts> flood(std::chrono::seconds time,
                                                          double rate) const {
    const auto device = Device::open({.name = kHostile, .node_guid = {}});
    if (!device) return tl::make_unexpected(device.error());
    auto flood =
        test::UdFlood::open(*device, rnics_.front()->endpoint().target(kEpoch).address, key_);
    if (!flood) return tl::make_unexpected(flood.error());
    return flood->run(time, rate);
  }
  // What the first responder says of what came.
  [[nodiscard]] core::ResponderCounts responder() const {
    return rnics_.front()->snapshot().responder;
  }

 private:
  std::unique_ptr<Rnic> make(std::size_t index, const std::shared_ptr<const KeyRing>& keys,
                             const std::shared_ptr<const core::Clock>& clock) {
    RnicOptions options;
    options.host = "bench";
    options.device.name = device_name(index);
    options.datagrams.epoch = options.connections.epoch = options.acceptor.epoch = kEpoch;
    ProberUser::Wishes wishes;
    wishes.look_up = [](const std::vector<std::string>&) {};
    wishes.connect = [this, index](const std::vector<RcRequest>& requests) {
      const std::scoped_lock hold(requests_lock_);
      for (const RcRequest& request : requests) requests_.emplace_back(index, request);
    };
    return std::make_unique<Rnic>(std::move(options), keys, random_from_system(), clock,
                                  std::move(wishes));
  }
  // The control channel: what an RNIC asks for is accepted by the next ones.
  void connect() {
    for (std::size_t from = 0; from < rnics_.size(); ++from) {
      std::vector<RcTarget> targets;
      for (std::size_t i = 0; i < kConnections; ++i) {
        const std::size_t to = (from + 1 + i) % rnics_.size();
        targets.push_back({.peer = std::to_string(to) + "/" + std::to_string(i), .hash = i});
      }
      rnics_[from]->set_connections(targets);
    }
    const std::size_t wanted = rnics_.size() * kConnections;
    std::size_t answered = 0;
    static_cast<void>(wait([&] {
      std::vector<std::pair<std::size_t, RcRequest>> taken;
      {
        const std::scoped_lock hold(requests_lock_);
        taken.swap(requests_);
      }
      for (const auto& [from, request] : taken) {
        const std::size_t to = static_cast<std::size_t>(std::atoi(request.peer.c_str()));
        const std::string peer = device_name(from) + request.peer;
        rnics_[from]->connection_answered(request.id, rnics_[to]->accept(peer, request.local));
        ++answered;
      }
      return answered >= wanted;
    }));
  }
  static bool wait(const std::function<bool()>& condition) {
    for (int i = 0; i < 3000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  ProbeKey key_{.id = 1, .secret = {0x5e}};
  std::mutex requests_lock_;
  std::vector<std::pair<std::size_t, RcRequest>> requests_;
  std::vector<std::unique_ptr<Rnic>> rnics_;  // their threads end first
};

std::uint64_t difference(const std::map<std::string, std::uint64_t>& later,
                         const std::map<std::string, std::uint64_t>& earlier,
                         const std::string& name) {
  const auto value = [&name](const auto& counts) {
    return counts.contains(name) ? counts.at(name) : 0;
  };
  return value(later) - value(earlier);
}

nlohmann::json flooded(const Mesh& mesh, std::chrono::seconds time, double rate) {
  const core::ResponderCounts before = mesh.responder();
  const auto counts = mesh.flood(time, rate);
  if (!counts) return {{"error", counts.error().message()}};
  const core::ResponderCounts after = mesh.responder();
  nlohmann::json said = {{"answers", counts->answers},
                         {"replayed", after.replayed - before.replayed}};
  const auto sum = [](const auto& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  };
  said["sent"] = sum(counts->sent);
  said["refused"] = sum(after.rejected) - sum(before.rejected) + after.malformed_header -
                    before.malformed_header + after.stale - before.stale + after.rate_limited -
                    before.rate_limited;
  return said;
}

nlohmann::json run(std::size_t targets, std::chrono::seconds time, std::size_t rnics,
                   double flood) {
  Mesh mesh(rnics);
  if (!mesh.wait_open()) return {{"error", "the RNICs do not open"}};
  mesh.probe(targets);
  std::this_thread::sleep_for(3s);  // first probes, address handles
  const auto outcomes_before = mesh.outcomes();
  const bench::Usage before = bench::Usage::of_this_process();
  nlohmann::json hostile;
  if (flood > 0) {
    hostile = flooded(mesh, time, flood);
    if (hostile.contains("error")) return hostile;
  } else {
    std::this_thread::sleep_for(time);
  }
  const bench::Usage after = bench::Usage::of_this_process();
  const auto outcomes = mesh.outcomes();
  nlohmann::json result = {{"targets", targets}, {"rnics", rnics}, {"seconds", time.count()}};
  if (flood > 0) result["flood"] = hostile;
  std::uint64_t decided = 0;
  for (const auto& [name, count] : outcomes) {
    const std::uint64_t gained = difference(outcomes, outcomes_before, name);
    result["outcomes"][name] = gained;
    if (name != "rc") decided += gained;
  }
  result["probes"] = decided;
  for (const auto& [role, used] : after.threads) {
    const bench::ThreadUsage first =
        before.threads.contains(role) ? before.threads.at(role) : bench::ThreadUsage{};
    result["cpu_seconds"][role] = used.cpu_seconds - first.cpu_seconds;
    result["context_switches"][role] = used.context_switches - first.context_switches;
  }
  result["rss_bytes"] = after.resident_bytes;
  result["anonymous_bytes"] = after.anonymous_bytes;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: probe_bench TARGETS SECONDS [RNICS [FLOOD]]\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<std::size_t>(std::atoll(argv[i])); };
  const auto result = run(number(1), std::chrono::seconds(number(2)), argc > 3 ? number(3) : 8,
                          argc > 4 ? static_cast<double>(number(4)) : 0);
  std::printf("%s\n", result.dump().c_str());
  return result.contains("error") ? 1 : 0;
}
