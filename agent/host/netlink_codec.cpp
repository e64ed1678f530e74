#include "agent/host/netlink_codec.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace rdmadiag::host {
namespace {

constexpr std::size_t kAlignment = 4;

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) & ~(kAlignment - 1); }

// The caller has checked that `bytes` is long enough.
template <class T>
T copy_out(Bytes bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T>
std::optional<T> narrow(std::optional<std::uint64_t> value) {
  if (!value || *value > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(*value);
}

// Padding after the last item may be missing.
Bytes drop_front(Bytes bytes, std::size_t length) {
  return bytes.subspan(std::min(aligned(length), bytes.size()));
}

// struct nlmsgerr: i32 error, the request's header, its payload unless capped, then attributes.
std::string extended_text(const Message& message) {
  if ((message.flags & NLM_F_ACK_TLVS) == 0) return {};
  const Bytes after_error = message.payload.subspan(sizeof(std::int32_t));
  if (after_error.size() < sizeof(nlmsghdr)) return {};
  std::size_t skip = sizeof(nlmsghdr);
  if ((message.flags & NLM_F_CAPPED) == 0)
    skip = std::max<std::size_t>(skip, aligned(copy_out<nlmsghdr>(after_error).nlmsg_len));
  if (skip > after_error.size()) return {};
  AttributeReader reader(after_error.subspan(skip));
  while (const auto attribute = reader.next())
    if (attribute->type == NLMSGERR_ATTR_MSG) return attribute->text();
  return {};
}

}  // namespace

std::optional<std::uint64_t> Attribute::number() const {
  switch (payload.size()) {
    case 1: return copy_out<std::uint8_t>(payload);
    case 2: return copy_out<std::uint16_t>(payload);
    case 4: return copy_out<std::uint32_t>(payload);
    case 8: return copy_out<std::uint64_t>(payload);
    default: return std::nullopt;
  }
}

std::optional<std::uint32_t> Attribute::u32() const { return narrow<std::uint32_t>(number()); }
std::optional<std::uint8_t> Attribute::u8() const { return narrow<std::uint8_t>(number()); }

std::string Attribute::text() const {
  const auto* first = reinterpret_cast<const char*>(payload.data());
  const std::string_view all(first, std::min(payload.size(), kMaxNetlinkText));
  return std::string(all.substr(0, all.find('\0')));
}

std::optional<Attribute> AttributeReader::next() {
  if (rest_.empty() || malformed_) return std::nullopt;
  if (rest_.size() < sizeof(nlattr)) {
    malformed_ = true;
    return std::nullopt;
  }
  const auto header = copy_out<nlattr>(rest_);
  if (header.nla_len < sizeof(nlattr) || header.nla_len > rest_.size()) {
    malformed_ = true;
    return std::nullopt;
  }
  Attribute attribute{static_cast<std::uint16_t>(header.nla_type & NLA_TYPE_MASK),
                      rest_.subspan(sizeof(nlattr), header.nla_len - sizeof(nlattr))};
  rest_ = drop_front(rest_, header.nla_len);
  return attribute;
}

std::optional<Message> MessageReader::next() {
  if (rest_.empty() || malformed_) return std::nullopt;
  if (rest_.size() < sizeof(nlmsghdr)) {
    malformed_ = true;
    return std::nullopt;
  }
  const auto header = copy_out<nlmsghdr>(rest_);
  if (header.nlmsg_len < sizeof(nlmsghdr) || header.nlmsg_len > rest_.size()) {
    malformed_ = true;
    return std::nullopt;
  }
  const Message message{header.nlmsg_type, header.nlmsg_flags, header.nlmsg_seq, header.nlmsg_pid,
                        rest_.subspan(sizeof(nlmsghdr), header.nlmsg_len - sizeof(nlmsghdr))};
  rest_ = drop_front(rest_, header.nlmsg_len);
  return message;
}

core::Result<Verdict> decode_error(const Message& message) {
  if (message.payload.size() < sizeof(std::int32_t))
    return core::fail("netlink error reply cut short");
  const auto code = copy_out<std::int32_t>(message.payload);
  if (code > 0 || code == std::numeric_limits<std::int32_t>::min())
    return core::fail("netlink error reply with a positive code");
  return Verdict{-code, extended_text(message)};
}

core::Result<Verdict> decode_done(const Message& message) {
  // Old dump implementations end without a code.
  if (message.payload.size() < sizeof(std::int32_t)) return Verdict{};
  const auto code = copy_out<std::int32_t>(message.payload);
  if (code >= 0 || code == std::numeric_limits<std::int32_t>::min()) return Verdict{};
  return Verdict{-code, {}};
}

PayloadWriter& PayloadWriter::raw(Bytes bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  bytes_.resize(aligned(bytes_.size()));
  return *this;
}

PayloadWriter& PayloadWriter::attribute(std::uint16_t type, Bytes payload) {
  const nlattr header{static_cast<std::uint16_t>(sizeof(nlattr) + payload.size()), type};
  const auto head = std::as_bytes(std::span(&header, 1));
  bytes_.insert(bytes_.end(), head.begin(), head.end());
  return raw(payload);
}

PayloadWriter& PayloadWriter::u8(std::uint16_t type, std::uint8_t value) {
  return attribute(type, std::as_bytes(std::span(&value, 1)));
}

PayloadWriter& PayloadWriter::u16(std::uint16_t type, std::uint16_t value) {
  return attribute(type, std::as_bytes(std::span(&value, 1)));
}

PayloadWriter& PayloadWriter::u32(std::uint16_t type, std::uint32_t value) {
  return attribute(type, std::as_bytes(std::span(&value, 1)));
}

PayloadWriter& PayloadWriter::u64(std::uint16_t type, std::uint64_t value) {
  return attribute(type, std::as_bytes(std::span(&value, 1)));
}

PayloadWriter& PayloadWriter::flag(std::uint16_t type) { return attribute(type, {}); }

PayloadWriter& PayloadWriter::text(std::uint16_t type, std::string_view value) {
  std::vector<std::byte> terminated(value.size() + 1);
  std::memcpy(terminated.data(), value.data(), value.size());
  return attribute(type, terminated);
}

PayloadWriter& PayloadWriter::nest(std::uint16_t type, const PayloadWriter& inner) {
  return attribute(static_cast<std::uint16_t>(type | NLA_F_NESTED), inner.bytes());
}

}  // namespace rdmadiag::host
