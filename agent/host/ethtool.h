// ethtool of a device's netdevs: private statistics by ioctl; link, pause, FEC and the standard
// statistics by netlink; the transceiver. Each question is optional: what a driver does not support
// is asked again only at refresh.
#pragma once

#include <memory>

#include "agent/host/device_source.h"
#include "agent/host/ethtool_ioctl.h"
#include "agent/host/generic_netlink.h"
#include "agent/host/module_reader.h"

namespace rdmadiag::host {

// Shared by all devices.
struct EthtoolParts {
  std::shared_ptr<EthtoolIoctl> ioctl;
  std::shared_ptr<GenericNetlink> netlink;  // family "ethtool"
  Launch launch = launch_thread;            // of module reads
};

// The live kernel's. A program that reads once passes launch_here, so that modules are in what it
// reads.
[[nodiscard]] EthtoolParts make_ethtool_parts(Launch launch = launch_thread);

// Reads after the netdevs are known.
[[nodiscard]] DeviceSourceFactory ethtool_source(EthtoolParts parts);

}  // namespace rdmadiag::host
