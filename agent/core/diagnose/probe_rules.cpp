// What active probing says of this host's NICs. One finding a NIC at most, however many peers it
// has.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "agent/core/diagnose/diagnose.h"
#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

double lost_ratio(const ProbePeer& peer) {
  return static_cast<double>(peer.lost) / static_cast<double>(peer.sent);
}

void check_rnic(const ProbeSnapshot& rnic, Report& report) {
  std::size_t judged = 0;
  std::size_t bad = 0;
  const ProbePeer* worst = nullptr;
  for (const ProbePeer& peer : rnic.peers) {
    // The loopback never leaves the NIC, and what was not sent says nothing.
    if (peer.scope == ProbeScope::kLoopback || !peer.resolved || peer.sent == 0) continue;
    ++judged;
    if (!peer.bad) continue;
    ++bad;
    if (worst == nullptr || lost_ratio(peer) > lost_ratio(*worst)) worst = &peer;
  }
  if (worst == nullptr) return;
  // One of two is no majority: the fault may be at either end.
  const bool most = bad >= 2 && bad * 2 > judged;
  report.add(most ? "peers-unreachable" : "probe-loss",
             Subject{.device = rnic.device, .port = rnic.port, .netdev = {}},
             fmt::format("probes to {} of {} peers are lost, {} the worst: {} of {} in 30 s", bad,
                         judged, worst->peer, worst->lost, worst->sent),
             "none lost");
}

}  // namespace

void diagnose_probes(std::span<const ProbeSnapshot> probes, Diagnosis& diagnosis) {
  Report report;
  for (const ProbeSnapshot& rnic : probes) check_rnic(rnic, report);
  Diagnosis found = report.take();
  std::ranges::move(found.findings, std::back_inserter(diagnosis.findings));
  std::ranges::stable_sort(diagnosis.findings, std::ranges::greater(), &Finding::severity);
}

}  // namespace rdmadiag::core
