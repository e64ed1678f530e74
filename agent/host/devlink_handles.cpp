#include "agent/host/devlink_handles.h"

namespace rdmadiag::host {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_below(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

}  // namespace

std::set<std::string> devlink_handles(const DeviceContext& context,
                                      const core::DeviceSnapshot& device,
                                      const std::set<std::string>& known) {
  FileReader& files = context.session->files();
  std::set<std::string> handles;
  if (!context.pci_directory.empty()) handles.insert("pci/" + last_part(context.pci_directory));
  for (const core::NetdevSnapshot& netdev : device.netdevs) {
    const std::string parent =
        files.resolve((context.roots.sys / "class/net" / netdev.name / "device").string());
    if (parent.empty()) continue;
    const std::string bus = files.resolve(parent + "/subsystem");
    if (!bus.empty()) handles.insert(last_part(bus) + "/" + last_part(parent));
  }
  constexpr std::string_view kAuxiliary = "auxiliary/";
  for (const std::string& handle : known) {
    if (context.pci_directory.empty() || !handle.starts_with(kAuxiliary)) continue;
    const std::string path = files.resolve(
        (context.roots.sys / "bus/auxiliary/devices" / handle.substr(kAuxiliary.size())).string());
    if (is_below(path, context.pci_directory)) handles.insert(handle);
  }
  return handles;
}

}  // namespace rdmadiag::host
