// A netlink conversation: one request, all of its replies. The transport is an interface so that
// the clients above it (RDMA, ethtool, DCB, devlink) can be tested against stored replies.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/core/result.h"
#include "agent/host/netlink_reply.h"

struct nl_sock;

namespace rdmadiag::host {

struct NetlinkRequest {
  std::uint16_t type = 0;
  bool dump = false;
  std::vector<std::byte> payload;  // all after nlmsghdr
};

class NetlinkTransport {
 public:
  virtual ~NetlinkTransport() = default;
  // An error reply becomes an Error with its errno and the kernel's own text. May be called from
  // several threads.
  virtual core::Result<NetlinkReply> transact(const NetlinkRequest& request) = 0;
};

struct NetlinkOptions {
  std::chrono::milliseconds timeout{1000};  // for each wait on a reply
  std::size_t max_reply_bytes = 32U << 20;  // over this the dump is refused
  int max_dump_retries = 4;                 // of a dump the kernel calls inconsistent
};

// The real one. Sockets are opened at the first call and kept; each thread inside transact has one
// to itself, because a request runs in the caller's context and a stuck driver keeps it: time-out
// covers the wait for replies, not the time the kernel spends in the request.
class NetlinkSocketPool final : public NetlinkTransport {
 public:
  explicit NetlinkSocketPool(int protocol, NetlinkOptions options = {});
  ~NetlinkSocketPool() override;
  NetlinkSocketPool(const NetlinkSocketPool&) = delete;
  NetlinkSocketPool& operator=(const NetlinkSocketPool&) = delete;

  core::Result<NetlinkReply> transact(const NetlinkRequest& request) override;

 private:
  struct Closer {
    void operator()(nl_sock* socket) const noexcept;
  };
  using Socket = std::unique_ptr<nl_sock, Closer>;

  core::Result<Socket> acquire();
  core::Result<Socket> open() const;
  // What the kernel says at the end; EINTR for a dump that changed while it was read. An Error
  // means the conversation itself broke.
  core::Result<Verdict> exchange(nl_sock* socket, const NetlinkRequest& request,
                                 NetlinkReply& reply) const;

  const int protocol_;
  const NetlinkOptions options_;
  std::mutex mutex_;
  std::vector<Socket> idle_;
};

}  // namespace rdmadiag::host
