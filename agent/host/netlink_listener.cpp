#include "agent/host/netlink_listener.h"

#include <netlink/netlink.h>
#include <netlink/socket.h>

#include <cerrno>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

namespace rdmadiag::host {
namespace {

constexpr int kReceiveQueueBytes = 1 << 20;

struct Free {
  void operator()(unsigned char* bytes) const noexcept { std::free(bytes); }
};

}  // namespace

void NetlinkListener::Closer::operator()(nl_sock* socket) const noexcept { nl_socket_free(socket); }

NetlinkListener::NetlinkListener(std::unique_ptr<nl_sock, Closer> socket)
    : socket_(std::move(socket)) {}

core::Result<NetlinkListener> NetlinkListener::open(int protocol, unsigned group) {
  const std::string what =
      "netlink protocol " + std::to_string(protocol) + " group " + std::to_string(group);
  std::unique_ptr<nl_sock, Closer> socket(nl_socket_alloc());
  if (!socket) return core::errno_error(ENOMEM, what);
  nl_socket_disable_seq_check(socket.get());
  errno = 0;
  if (nl_connect(socket.get(), protocol) < 0 ||
      nl_socket_add_membership(socket.get(), static_cast<int>(group)) < 0)
    return core::errno_error(errno != 0 ? errno : EIO, what);
  (void)nl_socket_set_buffer_size(socket.get(), kReceiveQueueBytes, 0);
  nl_socket_set_nonblocking(socket.get());
  nl_socket_enable_msg_peek(socket.get());
  return NetlinkListener(std::move(socket));
}

int NetlinkListener::descriptor() const { return nl_socket_get_fd(socket_.get()); }

bool NetlinkListener::drain(const OnMessage& on_message) {
  bool complete = true;
  for (int i = 0; i < kMaxDatagrams; ++i) {
    sockaddr_nl sender{};
    unsigned char* bytes = nullptr;
    errno = 0;
    const int length = nl_recv(socket_.get(), &sender, &bytes, nullptr);
    const std::unique_ptr<unsigned char, Free> owner(length > 0 ? bytes : nullptr);
    if (length == -NLE_AGAIN) return complete;
    if (length <= 0) {
      complete = false;
      if (errno == ENOBUFS) continue;
      return complete;
    }
    if (sender.nl_pid != 0) continue;  // not from the kernel
    MessageReader reader(std::as_bytes(std::span(owner.get(), static_cast<std::size_t>(length))));
    while (const auto message = reader.next()) on_message(*message);
  }
  return complete;
}

}  // namespace rdmadiag::host
