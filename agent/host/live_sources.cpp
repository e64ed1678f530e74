#include "agent/host/live_sources.h"

#include "agent/host/dcb.h"
#include "agent/host/devlink.h"
#include "agent/host/ethtool.h"
#include "agent/host/surroundings.h"

namespace rdmadiag::host {

std::vector<DeviceSourceFactory> live_sources(const Launch& launch) {
  return {ethtool_source(make_ethtool_parts(launch)), dcb_source(make_dcb_transport()),
          devlink_source(make_devlink_reporters(launch)),
          surroundings_source(make_address_reader())};
}

}  // namespace rdmadiag::host
