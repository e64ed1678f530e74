// Generic netlink: families are found by name, their numbers differ from boot to boot. Used for
// ethtool and devlink.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/netlink_socket.h"

namespace rdmadiag::host {

struct GenericFamily {
  std::uint16_t id = 0;
  struct Group {
    std::string name;
    std::uint32_t id = 0;
  };
  std::vector<Group> groups;

  [[nodiscard]] std::optional<std::uint32_t> group(std::string_view name) const;
};

[[nodiscard]] core::Result<GenericFamily> decode_family(Bytes attributes);

// A message of a family without its generic header.
struct GenericMessage {
  std::uint8_t command = 0;
  Bytes attributes;
};
[[nodiscard]] core::Result<GenericMessage> decode_generic(Bytes payload);

// One family on a transport. Threads may share it; transports are shared between families.
class GenericNetlink {
 public:
  GenericNetlink(std::shared_ptr<NetlinkTransport> transport, std::string family);

  // Asked of the kernel at the first call. ENOENT: the kernel has no such family (yet: a module may
  // bring it, so that a failure is not remembered).
  core::Result<GenericFamily> family();
  // Replies hold the generic header; decode_generic() takes it off.
  core::Result<NetlinkReply> request(std::uint8_t command, const PayloadWriter& attributes,
                                     bool dump = false);

 private:
  const std::shared_ptr<NetlinkTransport> transport_;
  const std::string name_;
  std::mutex mutex_;
  std::optional<GenericFamily> family_;
};

}  // namespace rdmadiag::host
