#include "agent/host/netlink_socket.h"

#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace rdmadiag::host {
namespace {

constexpr int kReceiveQueueBytes = 256 << 10;

struct Free {
  void operator()(unsigned char* bytes) const noexcept { std::free(bytes); }
};
using Datagram = std::unique_ptr<unsigned char, Free>;

std::string what_failed(const NetlinkRequest& request, std::string_view detail) {
  std::string what = "netlink request " + std::to_string(request.type);
  if (!detail.empty()) what.append(": ").append(detail);
  return what;
}

core::Status send_request(nl_sock* socket, const NetlinkRequest& request, std::uint32_t sequence) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + request.payload.size());
  header.nlmsg_type = request.type;
  header.nlmsg_flags =
      static_cast<std::uint16_t>(NLM_F_REQUEST | (request.dump ? NLM_F_DUMP : NLM_F_ACK));
  header.nlmsg_seq = sequence;
  header.nlmsg_pid = nl_socket_get_local_port(socket);
  std::vector<std::byte> message(sizeof header + request.payload.size());
  std::memcpy(message.data(), &header, sizeof header);
  if (!request.payload.empty())
    std::memcpy(message.data() + sizeof header, request.payload.data(), request.payload.size());
  errno = 0;
  if (nl_sendto(socket, message.data(), message.size()) < 0)
    return core::errno_error(errno != 0 ? errno : EIO, what_failed(request, "sending"));
  return {};
}

// One datagram from the kernel, owned by `owner`; empty when what came was not for us.
core::Result<Bytes> receive(nl_sock* socket, const NetlinkRequest& request,
                            std::chrono::milliseconds timeout, Datagram& owner) {
  pollfd ready{nl_socket_get_fd(socket), POLLIN, 0};
  const int count = ::poll(&ready, 1, static_cast<int>(timeout.count()));
  if (count < 0 && errno == EINTR) return Bytes{};
  if (count < 0) return core::errno_error(errno, what_failed(request, "waiting"));
  if (count == 0) return core::errno_error(ETIMEDOUT, what_failed(request, "no reply"));
  sockaddr_nl sender{};
  unsigned char* bytes = nullptr;
  errno = 0;
  const int length = nl_recv(socket, &sender, &bytes, nullptr);
  owner.reset(length > 0 ? bytes : nullptr);
  if (length == -NLE_AGAIN) return Bytes{};
  if (length <= 0)
    return core::errno_error(errno != 0 ? errno : EIO, what_failed(request, "receiving"));
  if (sender.nl_pid != 0) return Bytes{};
  return std::as_bytes(std::span(owner.get(), static_cast<std::size_t>(length)));
}

}  // namespace

void NetlinkSocketPool::Closer::operator()(nl_sock* socket) const noexcept {
  nl_socket_free(socket);
}

NetlinkSocketPool::NetlinkSocketPool(int protocol, NetlinkOptions options)
    : protocol_(protocol), options_(options) {}

NetlinkSocketPool::~NetlinkSocketPool() = default;

core::Result<NetlinkSocketPool::Socket> NetlinkSocketPool::open() const {
  Socket socket(nl_socket_alloc());
  if (!socket) return core::errno_error(ENOMEM, "netlink socket");
  errno = 0;
  if (nl_connect(socket.get(), protocol_) < 0)
    return core::errno_error(errno != 0 ? errno : EIO,
                             "netlink socket, protocol " + std::to_string(protocol_));
  const int on = 1;
  // Only the text of errors depends on it; kernels before 4.12 refuse.
  (void)::setsockopt(nl_socket_get_fd(socket.get()), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on);
  (void)nl_socket_set_buffer_size(socket.get(), kReceiveQueueBytes, 0);
  nl_socket_set_nonblocking(socket.get());
  nl_socket_enable_msg_peek(socket.get());
  return socket;
}

core::Result<NetlinkSocketPool::Socket> NetlinkSocketPool::acquire() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Socket socket = std::move(idle_.back());
      idle_.pop_back();
      return socket;
    }
  }
  return open();
}

core::Result<Verdict> NetlinkSocketPool::exchange(nl_sock* socket, const NetlinkRequest& request,
                                                  NetlinkReply& reply) const {
  const std::uint32_t sequence = nl_socket_use_seq(socket);
  if (auto sent = send_request(socket, request, sequence); !sent)
    return tl::make_unexpected(sent.error());
  ReplyCollector collector(sequence, options_.max_reply_bytes);
  for (;;) {
    Datagram owner;
    const auto datagram = receive(socket, request, options_.timeout, owner);
    if (!datagram) return tl::make_unexpected(datagram.error());
    auto verdict = collector.feed(*datagram);
    if (!verdict) return tl::make_unexpected(std::move(verdict.error()));
    if (!*verdict) continue;
    reply = collector.take();
    return **std::move(verdict);
  }
}

core::Result<NetlinkReply> NetlinkSocketPool::transact(const NetlinkRequest& request) {
  auto socket = acquire();
  if (!socket) return tl::make_unexpected(socket.error());
  for (int attempt = 0;; ++attempt) {
    NetlinkReply reply;
    const auto verdict = exchange(socket->get(), request, reply);
    // Not kept: the kernel refuses the next dump on a socket whose last one was left unfinished.
    if (!verdict) return tl::make_unexpected(verdict.error());
    if (verdict->error_number == EINTR && attempt < options_.max_dump_retries) continue;
    {
      const std::lock_guard lock(mutex_);
      idle_.push_back(*std::move(socket));
    }
    if (verdict->error_number != 0)
      return core::errno_error(verdict->error_number, what_failed(request, verdict->text));
    return reply;
  }
}

}  // namespace rdmadiag::host
