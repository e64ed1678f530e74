#include "agent/host/rdma_netlink.h"

#include <linux/netlink.h>

#include <iterator>
#include <string>
#include <utility>

#include "agent/host/rdma_netlink_messages.h"

namespace rdmadiag::host {
namespace {

// The one reply to a request that is not a dump.
template <class Decode>
auto ask(NetlinkTransport& transport, std::uint16_t type, std::vector<std::byte> payload,
         Decode&& decode) -> decltype(decode(Bytes{})) {
  auto reply = transport.transact({.type = type, .dump = false, .payload = std::move(payload)});
  if (!reply) return tl::make_unexpected(std::move(reply.error()));
  // The reply's type is not looked at: PORT_GET is answered as GET.
  if (reply->size() == 0)
    return core::fail("RDMA netlink request " + std::to_string(type) + ": no reply");
  return decode(reply->payload(0));
}

}  // namespace

RdmaNetlink::RdmaNetlink(std::shared_ptr<NetlinkTransport> transport)
    : transport_(std::move(transport)) {}

core::Result<std::vector<NetlinkDevice>> RdmaNetlink::list_devices() {
  auto reply = transport_->transact({.type = kNldevGet, .dump = true, .payload = {}});
  if (!reply) return tl::make_unexpected(std::move(reply.error()));
  std::vector<NetlinkDevice> devices;
  for (std::size_t i = 0; i < reply->size(); ++i) {
    auto device = decode_device(reply->payload(i));
    if (!device) return tl::make_unexpected(std::move(device.error()));
    devices.push_back(*std::move(device));
  }
  return devices;
}

core::Result<NetlinkPort> RdmaNetlink::port(std::uint32_t device_index, std::uint32_t port) {
  return ask(*transport_, kNldevPortGet, port_request(device_index, port), decode_port);
}

core::Result<std::vector<NetlinkCounter>> RdmaNetlink::port_statistics(std::uint32_t device_index,
                                                                       std::uint32_t port) {
  return ask(*transport_, kNldevStatGet, port_request(device_index, port), decode_port_statistics);
}

core::Result<std::vector<core::ResourceCount>> RdmaNetlink::resources(std::uint32_t device_index) {
  return ask(*transport_, kNldevResGet, device_request(device_index), decode_resources);
}

core::Result<std::vector<core::QueuePair>> RdmaNetlink::queue_pairs(std::uint32_t device_index) {
  auto reply = transport_->transact(
      {.type = kNldevResQpGet, .dump = true, .payload = device_request(device_index)});
  if (!reply) return tl::make_unexpected(std::move(reply.error()));
  std::vector<core::QueuePair> all;
  for (std::size_t i = 0; i < reply->size(); ++i) {
    auto some = decode_queue_pairs(reply->payload(i));
    if (!some) return tl::make_unexpected(std::move(some.error()));
    std::move(some->begin(), some->end(), std::back_inserter(all));
  }
  return all;
}

core::Result<bool> RdmaNetlink::netns_shared() {
  return ask(*transport_, kNldevSysGet, {}, decode_netns_shared);
}

std::shared_ptr<NetlinkSource> make_rdma_netlink(NetlinkOptions options) {
  return std::make_shared<RdmaNetlink>(std::make_shared<NetlinkSocketPool>(NETLINK_RDMA, options));
}

}  // namespace rdmadiag::host
