// A netlink socket that hears multicast notifications; for an event loop. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "agent/core/result.h"
#include "agent/host/netlink_codec.h"

struct nl_sock;

namespace rdmadiag::host {

class NetlinkListener {
 public:
  // Joining needs no privilege for the groups used here. EINVAL: the kernel has no such group.
  [[nodiscard]] static core::Result<NetlinkListener> open(int protocol, unsigned group);

  [[nodiscard]] int descriptor() const;

  using OnMessage = std::function<void(const Message&)>;
  // Takes what waits, without waiting, at most kMaxDatagrams at a time. False: some were lost
  // because nobody took them in time, and what they were about has to be asked for anew.
  [[nodiscard]] bool drain(const OnMessage& on_message);

  static constexpr int kMaxDatagrams = 256;

 private:
  struct Closer {
    void operator()(nl_sock* socket) const noexcept;
  };
  explicit NetlinkListener(std::unique_ptr<nl_sock, Closer> socket);
  std::unique_ptr<nl_sock, Closer> socket_;
};

}  // namespace rdmadiag::host
