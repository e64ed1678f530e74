#include "agent/host/netlink_reply.h"

#include <linux/netlink.h>

#include <cerrno>
#include <utility>

namespace rdmadiag::host {
namespace {

core::Result<std::optional<Verdict>> ended(core::Result<Verdict> verdict) {
  if (!verdict) return tl::make_unexpected(std::move(verdict.error()));
  return *std::move(verdict);
}

}  // namespace

void NetlinkReply::add(std::uint16_t type, Bytes payload) {
  parts_.push_back({type, bytes_.size(), payload.size()});
  bytes_.insert(bytes_.end(), payload.begin(), payload.end());
}

core::Result<std::optional<Verdict>> ReplyCollector::feed(Bytes datagram) {
  MessageReader reader(datagram);
  while (const auto message = reader.next()) {
    if (message->sequence != sequence_) continue;
    if ((message->flags & NLM_F_DUMP_INTR) != 0) interrupted_ = true;
    switch (message->type) {
      case NLMSG_ERROR: return ended(decode_error(*message));
      case NLMSG_DONE:
        if (interrupted_) return Verdict{EINTR, "the dump changed while it was read"};
        return ended(decode_done(*message));
      case NLMSG_NOOP: break;
      case NLMSG_OVERRUN: return core::errno_error(ENOBUFS, "netlink overrun");
      default:
        if (reply_.total_bytes() + message->payload.size() > max_bytes_)
          return core::errno_error(EMSGSIZE, "netlink reply too long");
        reply_.add(message->type, message->payload);
    }
  }
  if (reader.malformed()) return core::fail("malformed netlink reply");
  return std::nullopt;
}

}  // namespace rdmadiag::host
