// Netlink framing as pure functions over bytes: messages, attributes, error replies. Shared by RDMA
// netlink, ethtool, DCB and devlink; knows no socket. Nothing here reads outside the bytes it was
// given, and values are copied out, because attributes are aligned to 4 bytes only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/result.h"

namespace rdmadiag::host {

using Bytes = std::span<const std::byte>;

inline constexpr std::size_t kMaxNetlinkText = 256;

struct Attribute {
  std::uint16_t type = 0;  // without the nested and byte-order flags
  Bytes payload;

  // Of 1, 2, 4 or 8 bytes, in host order: a kernel may widen a field. Empty for any other size.
  [[nodiscard]] std::optional<std::uint64_t> number() const;
  // Like number(), and empty when the value does not fit.
  [[nodiscard]] std::optional<std::uint32_t> u32() const;
  [[nodiscard]] std::optional<std::uint8_t> u8() const;
  // Up to the first NUL, cut at kMaxNetlinkText; not checked for UTF-8.
  [[nodiscard]] std::string text() const;
};

// Walks one level of attributes. Lengths that do not fit end the walk and set malformed().
class AttributeReader {
 public:
  explicit AttributeReader(Bytes bytes) : rest_(bytes) {}
  [[nodiscard]] std::optional<Attribute> next();
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  Bytes rest_;
  bool malformed_ = false;
};

// Calls `visit(attribute)` for each; `visit` returns false to report that a nest of it was
// malformed. False when this level or any below was.
template <class Visit>
[[nodiscard]] bool walk_attributes(Bytes bytes, Visit&& visit) {
  AttributeReader reader(bytes);
  bool whole = true;
  while (const auto attribute = reader.next()) whole = visit(*attribute) && whole;
  return whole && !reader.malformed();
}

struct Message {
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  std::uint32_t sequence = 0;
  std::uint32_t port = 0;
  Bytes payload;  // all after nlmsghdr
};

// Walks the messages of one datagram.
class MessageReader {
 public:
  explicit MessageReader(Bytes datagram) : rest_(datagram) {}
  [[nodiscard]] std::optional<Message> next();
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  Bytes rest_;
  bool malformed_ = false;
};

// What NLMSG_ERROR and NLMSG_DONE say. error_number is positive, 0 for an acknowledgement.
struct Verdict {
  int error_number = 0;
  std::string text;  // the kernel's extended acknowledgement, if any
};
[[nodiscard]] core::Result<Verdict> decode_error(const Message& message);
[[nodiscard]] core::Result<Verdict> decode_done(const Message& message);

// Builds the payload of a request.
class PayloadWriter {
 public:
  PayloadWriter& raw(Bytes bytes);  // a fixed header; padded to 4 bytes
  PayloadWriter& attribute(std::uint16_t type, Bytes payload);
  PayloadWriter& u8(std::uint16_t type, std::uint8_t value);
  PayloadWriter& u16(std::uint16_t type, std::uint16_t value);
  PayloadWriter& u32(std::uint16_t type, std::uint32_t value);
  PayloadWriter& u64(std::uint16_t type, std::uint64_t value);
  PayloadWriter& flag(std::uint16_t type);
  PayloadWriter& text(std::uint16_t type, std::string_view value);
  // Attributes of `inner` become the nest's content.
  PayloadWriter& nest(std::uint16_t type, const PayloadWriter& inner);

  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace rdmadiag::host
