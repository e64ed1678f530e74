#include "agent/daemon/settings.h"

namespace rdmadiag::daemon {

host::CollectOptions make_collect_options(const Options& options, const config::Config& config) {
  host::CollectOptions collect;
  const bool all_layers = config.devices.link_layers == config::DeviceFilters{}.link_layers;
  collect.include =
      options.device_include.empty() ? config.devices.include : options.device_include;
  collect.exclude =
      options.device_exclude.empty() ? config.devices.exclude : options.device_exclude;
  // All known layers stand for all there are, and spare a read before each first open.
  if (!all_layers) collect.link_layers = config.devices.link_layers;
  for (std::size_t i = 0; i < core::kSourceCount; ++i) {
    const auto source = static_cast<core::Source>(i);
    const auto flag = options.sources.find(source);
    const bool enabled =
        flag == options.sources.end() ? config.collect.sources.enabled[i] : flag->second;
    if (!enabled) collect.disabled.push_back(source);
  }
  collect.min_interval = config.collect.min_interval;
  collect.deadline = config.collect.deadline;
  collect.rescan_interval = config.collect.rescan_interval;
  collect.ethtool_extra = config.collect.ethtool_extra;
  collect.queue_pairs = config.collect.qps;
  collect.skip_hw_counters = config.collect.skip_hw_counters;
  collect.ethtool_extra = config.collect.ethtool_extra;
  return collect;
}

}  // namespace rdmadiag::daemon
