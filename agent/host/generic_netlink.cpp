#include "agent/host/generic_netlink.h"

#include <linux/genetlink.h>

#include <cstring>
#include <span>
#include <utility>

namespace rdmadiag::host {
namespace {

std::vector<std::byte> with_header(std::uint8_t command, Bytes attributes) {
  const genlmsghdr header{command, 1, 0};
  PayloadWriter writer;
  writer.raw(std::as_bytes(std::span(&header, 1))).raw(attributes);
  return {writer.bytes().begin(), writer.bytes().end()};
}

}  // namespace

std::optional<std::uint32_t> GenericFamily::group(std::string_view name) const {
  for (const Group& group : groups)
    if (group.name == name) return group.id;
  return std::nullopt;
}

core::Result<GenericFamily> decode_family(Bytes attributes) {
  GenericFamily family;
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    if (a.type == CTRL_ATTR_FAMILY_ID) family.id = static_cast<std::uint16_t>(a.u32().value_or(0));
    if (a.type != CTRL_ATTR_MCAST_GROUPS) return true;
    return walk_attributes(a.payload, [&](const Attribute& entry) {
      GenericFamily::Group group;
      const bool entry_whole = walk_attributes(entry.payload, [&](const Attribute& field) {
        if (field.type == CTRL_ATTR_MCAST_GRP_NAME) group.name = field.text();
        if (field.type == CTRL_ATTR_MCAST_GRP_ID) group.id = field.u32().value_or(0);
        return true;
      });
      if (group.id != 0) family.groups.push_back(std::move(group));
      return entry_whole;
    });
  });
  if (!whole) return core::fail("GETFAMILY: malformed netlink reply");
  if (family.id == 0) return core::fail("GETFAMILY: netlink reply without a family");
  return family;
}

core::Result<GenericMessage> decode_generic(Bytes payload) {
  genlmsghdr header{};
  if (payload.size() < sizeof header) return core::fail("generic netlink message cut short");
  std::memcpy(&header, payload.data(), sizeof header);
  return GenericMessage{header.cmd, payload.subspan(sizeof header)};
}

GenericNetlink::GenericNetlink(std::shared_ptr<NetlinkTransport> transport, std::string family)
    : transport_(std::move(transport)), name_(std::move(family)) {}

core::Result<GenericFamily> GenericNetlink::family() {
  {
    const std::lock_guard lock(mutex_);
    if (family_) return *family_;
  }
  const auto reply = transport_->transact(
      {.type = GENL_ID_CTRL,
       .dump = false,
       .payload = with_header(CTRL_CMD_GETFAMILY,
                              PayloadWriter().text(CTRL_ATTR_FAMILY_NAME, name_).bytes())});
  if (!reply) return tl::make_unexpected(reply.error());
  if (reply->size() == 0) return core::fail("GETFAMILY " + name_ + ": no reply");
  const auto message = decode_generic(reply->payload(0));
  if (!message) return tl::make_unexpected(message.error());
  auto found = decode_family(message->attributes);
  if (!found) return found;
  const std::lock_guard lock(mutex_);
  family_ = *found;
  return found;
}

core::Result<NetlinkReply> GenericNetlink::request(std::uint8_t command,
                                                   const PayloadWriter& attributes, bool dump) {
  const auto found = family();
  if (!found) return tl::make_unexpected(found.error());
  return transport_->transact(
      {.type = found->id, .dump = dump, .payload = with_header(command, attributes.bytes())});
}

}  // namespace rdmadiag::host
