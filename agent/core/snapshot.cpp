#include "agent/core/snapshot.h"

#include <algorithm>
#include <cerrno>

namespace rdmadiag::core {
namespace {

constexpr std::array<std::string_view, kSourceCount> kSourceNames = {"sysfs_port",
                                                                     "sysfs_counters",
                                                                     "sysfs_hw_counters",
                                                                     "rdma_netlink",
                                                                     "netdev",
                                                                     "ethtool",
                                                                     "dcb",
                                                                     "devlink",
                                                                     "pcie",
                                                                     "probe",
                                                                     "host"};

constexpr std::array<std::string_view, kIssueReasonCount> kReasonNames = {
    "enoent", "einval", "eopnotsupp", "eperm", "eio", "enodev", "parse", "timeout", "other"};

}  // namespace

std::string_view source_name(Source source) {
  return kSourceNames[static_cast<std::size_t>(source)];
}

std::optional<Source> parse_source(std::string_view name) {
  const auto* found = std::find(kSourceNames.begin(), kSourceNames.end(), name);
  if (found == kSourceNames.end()) return std::nullopt;
  return static_cast<Source>(found - kSourceNames.begin());
}

std::string_view reason_name(IssueReason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

IssueReason classify_errno(int error_number) {
  switch (error_number) {
    case ENOENT: return IssueReason::kEnoent;
    case EINVAL: return IssueReason::kEinval;
    case EOPNOTSUPP: return IssueReason::kEopnotsupp;
    case EPERM:
    case EACCES: return IssueReason::kEperm;
    case EIO: return IssueReason::kEio;
    case ENODEV:
    case ENXIO: return IssueReason::kEnodev;
    case ETIMEDOUT: return IssueReason::kTimeout;
    default: return IssueReason::kOther;
  }
}

const NetdevSnapshot* DeviceSnapshot::find_netdev(std::string_view netdev) const {
  const auto found = std::find_if(netdevs.begin(), netdevs.end(),
                                  [&](const NetdevSnapshot& n) { return n.name == netdev; });
  return found == netdevs.end() ? nullptr : &*found;
}

}  // namespace rdmadiag::core
