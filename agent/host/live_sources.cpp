#include "agent/host/live_sources.h"

#include "agent/host/dcb.h"
#include "agent/host/devlink.h"
#include "agent/host/ethtool.h"
#include "agent/host/surroundings.h"

namespace rdmadiag::host {

std::vector<DeviceSourceFactory> live_sources(Launch launch) {
  const auto route = make_dcb_transport();
  return {ethtool_source(make_ethtool_parts(launch)), dcb_source(route),
          devlink_source(make_devlink_reporters(launch)), surroundings_source(route)};
}

}  // namespace rdmadiag::host
