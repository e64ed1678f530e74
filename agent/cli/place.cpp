#include "agent/cli/place.h"

#include <filesystem>
#include <system_error>

#include "agent/cli/capture_file.h"
#include "agent/host/replay.h"

namespace rdmadiag::cli {
namespace {

std::filesystem::path procfs_beside(const GlobalOptions& options) {
  if (!options.procfs.empty()) return options.procfs;
  std::filesystem::path sysfs = std::filesystem::path(options.sysfs).lexically_normal();
  if (!sysfs.has_filename()) sysfs = sysfs.parent_path();
  return sysfs.parent_path() / "proc";
}

}  // namespace

bool is_capture(const Context& context) {
  std::error_code ignored;
  return !context.options.sysfs.empty() &&
         !std::filesystem::is_directory(context.options.sysfs, ignored);
}

core::Result<Place> find_place(const Context& context) {
  const World& world = context.world;
  const std::string& sysfs = context.options.sysfs;
  if (sysfs.empty())
    return Place{world.roots, world.files, world.make_netlink(), world.addresses, true};
  if (!is_capture(context)) {
    const std::filesystem::path root(sysfs);
    return Place{
        {root, procfs_beside(context.options), world.roots.dev}, world.files, nullptr, nullptr};
  }
  auto capture = read_capture(sysfs);
  if (!capture) return tl::make_unexpected(capture.error());
  const auto shared = std::make_shared<const host::Capture>(std::move(*capture));
  Place place{host::replay_roots(), std::make_shared<host::ReplayFileReader>(shared), nullptr,
              nullptr};
  if (shared->netlink) place.netlink = std::make_shared<host::ReplayNetlink>(shared);
  if (shared->addresses) place.addresses = host::replay_addresses(shared);
  return place;
}

}  // namespace rdmadiag::cli
