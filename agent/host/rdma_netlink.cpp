#include "agent/host/rdma_netlink.h"

#include <linux/netlink.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "agent/core/utf8.h"
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

// Of what belongs to a process the kernel tells the number only.
void name_owners(const std::string& proc, std::vector<core::QueuePair>& pairs) {
  std::map<std::uint32_t, std::string> names;
  for (core::QueuePair& pair : pairs) {
    if (!pair.pid || !pair.owner.empty()) continue;
    const auto [known, fresh] = names.try_emplace(*pair.pid);
    if (fresh) {
      std::string name;
      std::getline(std::ifstream(proc + "/" + std::to_string(*pair.pid) + "/comm"), name);
      known->second = core::to_utf8(name);
    }
    pair.owner = known->second;
  }
}

}  // namespace

RdmaNetlink::RdmaNetlink(std::shared_ptr<NetlinkTransport> transport, std::string proc)
    : transport_(std::move(transport)), proc_(std::move(proc)) {}

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
  if (!proc_.empty()) name_owners(proc_, all);
  return all;
}

core::Result<bool> RdmaNetlink::netns_shared() {
  return ask(*transport_, kNldevSysGet, {}, decode_netns_shared);
}

std::shared_ptr<NetlinkSource> make_rdma_netlink(std::string proc) {
  return std::make_shared<RdmaNetlink>(std::make_shared<NetlinkSocketPool>(NETLINK_RDMA),
                                       std::move(proc));
}

}  // namespace rdmadiag::host
