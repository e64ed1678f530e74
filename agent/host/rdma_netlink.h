// RDMA netlink over a transport: NetlinkSource for the read path. Reads only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/host/netlink_socket.h"
#include "agent/host/netlink_source.h"

namespace rdmadiag::host {

class RdmaNetlink final : public NetlinkSource {
 public:
  // `proc`: the procfs that names the owners of queue pairs; empty: only those of the kernel's own
  // are named.
  explicit RdmaNetlink(std::shared_ptr<NetlinkTransport> transport, std::string proc = {});

  core::Result<std::vector<NetlinkDevice>> list_devices() override;
  core::Result<NetlinkPort> port(std::uint32_t device_index, std::uint32_t port) override;
  core::Result<std::vector<NetlinkCounter>> port_statistics(std::uint32_t device_index,
                                                            std::uint32_t port) override;
  core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t device_index) override;
  core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t device_index) override;
  core::Result<bool> netns_shared() override;

 private:
  std::shared_ptr<NetlinkTransport> transport_;
  std::string proc_;
};

// On the kernel's RDMA netlink, with its procfs (above). Opens no socket before the first call; a
// kernel without RDMA answers that call with EPROTONOSUPPORT.
[[nodiscard]] std::shared_ptr<NetlinkSource> make_rdma_netlink(std::string proc = {});

}  // namespace rdmadiag::host
