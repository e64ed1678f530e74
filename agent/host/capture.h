// What one read of a host asked the kernel and what the answers were: enough to read it again
// somewhere else. Paths are relative to the roots: "sys/class/infiniband", "proc/…", "dev/…".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/host/address_reader.h"
#include "agent/host/file_reader.h"
#include "agent/host/netlink_source.h"

namespace rdmadiag::host {

struct CapturedFile {
  std::string content;
  int open_error = 0;  // positive errno; then there is no content
  int read_error = 0;

  bool operator==(const CapturedFile&) const = default;
};

struct CapturedDirectory {
  std::vector<DirectoryEntry> entries;
  int error = 0;
};

// An answer of RDMA netlink, or the errno it failed with.
template <class T>
struct CapturedAnswer {
  std::optional<T> value;
  int error = 0;
};

using PortKey = std::pair<std::uint32_t, std::uint32_t>;  // netlink index, port number

struct CapturedNetlink {
  CapturedAnswer<std::vector<NetlinkDevice>> devices;
  CapturedAnswer<bool> netns_shared;
  std::map<PortKey, CapturedAnswer<NetlinkPort>> ports;
  std::map<PortKey, CapturedAnswer<std::vector<NetlinkCounter>>> statistics;
  std::map<std::uint32_t, CapturedAnswer<std::vector<core::ResourceCount>>> resources;
  std::map<std::uint32_t, CapturedAnswer<std::vector<core::QueuePair>>> queue_pairs;
};

struct Capture {
  std::map<std::string, CapturedFile> files;
  std::map<std::string, CapturedDirectory> directories;
  std::map<std::string, std::string> resolved;           // empty: does not resolve
  std::optional<CapturedNetlink> netlink;                // empty where netlink was not asked
  std::optional<CapturedAnswer<AddressList>> addresses;  // the same
};

}  // namespace rdmadiag::host
