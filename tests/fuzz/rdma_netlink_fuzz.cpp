// Netlink framing and the RDMA decoders over arbitrary bytes: as one datagram, and as a payload.
#include <cstddef>
#include <cstdint>
#include <span>

#include "agent/host/netlink_reply.h"
#include "agent/host/rdma_netlink_messages.h"

using namespace rdmadiag::host;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  ReplyCollector collector(0, 1 << 20);
  (void)collector.feed(bytes);
  const NetlinkReply reply = collector.take();
  for (std::size_t i = 0; i < reply.size(); ++i) (void)decode_device(reply.payload(i));

  (void)decode_device(bytes);
  (void)decode_port(bytes);
  (void)decode_resources(bytes);
  (void)decode_port_statistics(bytes);
  (void)decode_queue_pairs(bytes);
  (void)decode_netns_shared(bytes);
  (void)decode_event(bytes);
  return 0;
}
