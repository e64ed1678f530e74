#include "probes/path_trace.h"

#include <algorithm>
#include <utility>

#include "probes/flow_label.h"

namespace rdmadiag::probes {
namespace {

constexpr std::uint16_t kRocePort = 4791;
// Where traceroute sends to: nobody listens there.
constexpr std::uint16_t kFirstSilentPort = 33434;

std::vector<std::string> routers_of(const TracedPath& path) {
  std::vector<std::string> routers;
  for (const TracedHop& hop : path.hops) routers.push_back(hop.answer->from);
  return routers;
}

}  // namespace

bool TracedPath::is_complete() const {
  return problem.empty() && std::all_of(hops.begin(), hops.end(), [](const TracedHop& hop) {
           return hop.answer.has_value();
         });
}

bool PathTrace::pace(int ttl) {
  const auto last = sent_.find(ttl);
  const core::SteadyTime now = clock_.steady();
  if (last != sent_.end() && now - last->second < kBetween &&
      !wait_(kBetween - (now - last->second)))
    return false;
  sent_[ttl] = clock_.steady();
  return true;
}

core::Result<int> PathTrace::distance(int tries) {
  for (int ttl = 1; ttl <= kMostHops; ++ttl) {
    for (int attempt = 0; attempt < tries; ++attempt) {
      if (!pace(ttl)) return core::fail("interrupted");
      const auto answer = network_.probe(udp_source_port(static_cast<std::uint32_t>(ttl)),
                                         static_cast<std::uint16_t>(kFirstSilentPort + ttl), ttl);
      if (!answer) return tl::make_unexpected(answer.error());
      if (!*answer) continue;
      if ((*answer)->is_peer) return ttl;
      break;
    }
  }
  return core::fail("the peer does not say how far it is (no ICMP port unreachable within " +
                    std::to_string(kMostHops) + " hops): give it with --hops");
}

std::optional<TracedPath> PathTrace::trace(std::uint32_t label, int hops, int tries) {
  TracedPath path{.label = label, .source_port = udp_source_port(label), .hops = {}, .problem = ""};
  for (int ttl = 1; ttl < hops; ++ttl) {
    TracedHop hop;
    for (int attempt = 0; attempt < tries && !hop.answer; ++attempt) {
      if (!pace(ttl)) return std::nullopt;
      auto answer = network_.probe(path.source_port, kRocePort, ttl);
      if (!answer) {
        path.problem = answer.error().message();
        return path;
      }
      hop.answer = std::move(*answer);
    }
    if (hop.answer && hop.answer->is_peer) {
      path.problem = "the peer answered at hop " + std::to_string(ttl) +
                     ": this way is shorter than others, and was left alone";
      return path;
    }
    path.hops.push_back(std::move(hop));
  }
  return path;
}

std::vector<std::vector<std::uint32_t>> shared_paths(const std::vector<TracedPath>& paths) {
  std::vector<std::pair<std::vector<std::string>, std::vector<std::uint32_t>>> groups;
  for (const TracedPath& path : paths) {
    if (!path.is_complete()) continue;
    const std::vector<std::string> routers = routers_of(path);
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == routers; });
    if (known == groups.end()) {
      groups.push_back({routers, {path.label}});
    } else {
      known->second.push_back(path.label);
    }
  }
  std::vector<std::vector<std::uint32_t>> out;
  for (auto& group : groups) out.push_back(std::move(group.second));
  return out;
}

}  // namespace rdmadiag::probes
