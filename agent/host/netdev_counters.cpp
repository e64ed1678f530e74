#include "agent/host/netdev_counters.h"

#include <algorithm>
#include <array>

namespace rdmadiag::host {

bool is_port_wide(const core::CounterSpec& spec) {
  constexpr std::array<std::string_view, 7> kClasses = {"buffer", "fec", "module", "pause",
                                                        "pcie",   "pfc", "phy"};
  return !spec.index.empty() || spec.name.ends_with("_phy") || spec.name.ends_with(".nic") ||
         std::find(kClasses.begin(), kClasses.end(), spec.counter_class) != kClasses.end();
}

StandardCounts::StandardCounts(core::NetdevSnapshot& netdev, std::string_view driver)
    : netdev_(netdev), driver_(driver), before_(netdev.counters.size()) {}

void StandardCounts::add(std::string_view name, std::uint64_t value) {
  if (netdev_.is_vf) return;
  const core::CounterSpec* spec = core::find_counter(core::CounterSource::kEthtool, driver_, name);
  if (spec == nullptr) return;
  for (std::size_t i = 0; i < netdev_.counters.size(); ++i) {
    const core::CounterSpec* other = netdev_.counters[i].spec;
    if (other != nullptr && other->metric == spec->metric &&
        (i < before_ || other->index == spec->index))
      return;
  }
  netdev_.counters.push_back({core::CounterSource::kEthtool, spec, {}, value});
}

}  // namespace rdmadiag::host
