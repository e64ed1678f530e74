#include "agent/host/address_reader.h"

#include <linux/netlink.h>

#include <utility>

namespace rdmadiag::host {

AddressReader make_address_reader() {
  return address_reader(std::make_shared<NetlinkSocketPool>(NETLINK_ROUTE));
}

AddressReader address_reader(std::shared_ptr<NetlinkTransport> route) {
  return [route = std::move(route)]() -> core::Result<AddressList> {
    const auto reply =
        route->transact({.type = kRtmGetAddress, .dump = true, .payload = address_dump_request()});
    if (!reply) return tl::make_unexpected(reply.error());
    AddressList addresses;
    for (std::size_t i = 0; i < reply->size(); ++i) {
      if (auto address = decode_address(reply->payload(i)))
        addresses.push_back(*std::move(address));
    }
    return addresses;
  };
}

}  // namespace rdmadiag::host
