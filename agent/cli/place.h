// What a command looks at: this host, another root, or a capture in memory.
#pragma once

#include <memory>

#include "agent/cli/world.h"
#include "agent/host/address_reader.h"
#include "agent/host/file_reader.h"
#include "agent/host/netlink_source.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::cli {

struct Place {
  host::Roots roots;
  std::shared_ptr<host::FileReader> files;
  std::shared_ptr<host::NetlinkSource> netlink;  // null where nobody can be asked
  host::AddressReader addresses;                 // the same
  bool is_live = false;                          // this host, as it is now
};

// A capture is looked at, which never changes; a folder may be another root of a live host.
[[nodiscard]] bool is_capture(const Context& context);

// Fails when a capture cannot be read.
[[nodiscard]] core::Result<Place> find_place(const Context& context);

}  // namespace rdmadiag::cli
