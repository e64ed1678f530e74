// The replies to one request, put together from the datagrams they come in. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "agent/host/netlink_codec.h"

namespace rdmadiag::host {

// The payloads of the replies, in order, without acknowledgement and end marks.
class NetlinkReply {
 public:
  void add(std::uint16_t type, Bytes payload);
  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] std::uint16_t type(std::size_t i) const { return parts_[i].type; }
  [[nodiscard]] Bytes payload(std::size_t i) const {
    return Bytes(bytes_).subspan(parts_[i].offset, parts_[i].length);
  }
  [[nodiscard]] std::size_t total_bytes() const { return bytes_.size(); }

 private:
  struct Part {
    std::uint16_t type;
    std::size_t offset;
    std::size_t length;
  };
  std::vector<std::byte> bytes_;
  std::vector<Part> parts_;
};

class ReplyCollector {
 public:
  ReplyCollector(std::uint32_t sequence, std::size_t max_bytes)
      : sequence_(sequence), max_bytes_(max_bytes) {}

  // The kernel's verdict once it has come; EINTR for a dump that changed while it was read and must
  // be read again. An Error means the conversation is broken. Messages of another sequence number
  // are late replies to something else and passed over.
  core::Result<std::optional<Verdict>> feed(Bytes datagram);

  [[nodiscard]] NetlinkReply take() { return std::move(reply_); }

 private:
  const std::uint32_t sequence_;
  const std::size_t max_bytes_;
  bool interrupted_ = false;
  NetlinkReply reply_;
};

}  // namespace rdmadiag::host
