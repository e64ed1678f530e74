#include "agent/host/private_statistics.h"

#include <algorithm>
#include <set>

#include "agent/host/netdev_counters.h"

namespace rdmadiag::host {
namespace {

// The count may change between names and values; not every time.
constexpr int kMaxTries = 3;

bool any_matches(const std::vector<std::regex>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::regex& p) { return std::regex_search(name, p); });
}

}  // namespace

ExtraStatistics extra_statistics(const std::vector<std::string>& patterns) {
  ExtraStatistics extra;
  for (const std::string& pattern : patterns) {
    try {
      extra.patterns.emplace_back(pattern);
    } catch (const std::regex_error&) {
    }
  }
  return extra;
}

core::Status PrivateStatistics::learn_names(EthtoolIoctl& ioctl, const std::string& driver,
                                            const ExtraStatistics& extra,
                                            const core::NetdevSnapshot& netdev) {
  const auto names = ioctl.statistic_names(netdev.name);
  if (!names) return tl::make_unexpected(names.error());
  known_ = true;
  count_ = names->size();
  chosen_.clear();
  extra_left_out_ = 0;
  std::size_t extras = 0;
  std::set<std::string_view> seen;  // of two statistics of one name the first is taken
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    const auto* spec = core::find_counter(core::CounterSource::kEthtool, driver, name);
    if (spec == nullptr && !any_matches(extra.patterns, name)) continue;
    if (spec != nullptr && netdev.is_vf && is_port_wide(*spec)) continue;
    if (name.empty() || !seen.insert(name).second) continue;
    if (spec == nullptr && extras++ >= extra.max_per_netdev) {
      ++extra_left_out_;
      continue;
    }
    chosen_.push_back({i, spec, spec == nullptr ? name : std::string()});
  }
  return {};
}

core::Status PrivateStatistics::read(EthtoolIoctl& ioctl, const std::string& driver,
                                     const ExtraStatistics& extra, core::NetdevSnapshot& netdev) {
  for (int i = 0; i < kMaxTries; ++i) {
    if (!known_)
      if (auto learnt = learn_names(ioctl, driver, extra, netdev); !learnt) return learnt;
    if (chosen_.empty()) return {};  // nothing to read the hardware for
    const auto count = ioctl.statistics(netdev.name, count_, values_);
    if (!count) {
      known_ = false;
      return tl::make_unexpected(count.error());
    }
    if (*count == count_) {
      for (const Chosen& chosen : chosen_)
        netdev.counters.push_back(
            {core::CounterSource::kEthtool, chosen.spec, chosen.name, values_[chosen.position]});
      return {};
    }
    known_ = false;
  }
  return core::fail("ethtool statistics of " + netdev.name + " keep changing in number");
}

}  // namespace rdmadiag::host
