#include "agent/host/readiness.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

namespace rdmadiag::host {
namespace {

std::string read_line(FileReader& files, const std::string& path) {
  std::array<char, 256> buffer{};
  const int descriptor = files.open(path);
  if (descriptor < 0) return "";
  const std::ptrdiff_t size = files.read_from_start(descriptor, buffer);
  files.close(descriptor);
  if (size <= 0) return "";
  const std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  return std::string(text.substr(0, text.find('\n')));
}

int open_error(FileReader& files, const std::string& path) {
  const int descriptor = files.open(path);
  if (descriptor < 0) return -descriptor;
  files.close(descriptor);
  return 0;
}

std::vector<std::string> names_in(FileReader& files, const std::filesystem::path& directory,
                                  int& error) {
  std::vector<DirectoryEntry> entries;
  error = -files.list(directory.string(), entries);
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : entries) {
    if (!entry.name.starts_with('.')) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// RDMA device → name of its node, by sys/class/infiniband_verbs/uverbsN/ibdev.
std::map<std::string, std::string> verbs_nodes(FileReader& files, const Roots& roots,
                                               int& class_error) {
  std::map<std::string, std::string> nodes;
  const auto directory = roots.sys / "class/infiniband_verbs";
  for (const std::string& name : names_in(files, directory, class_error)) {
    if (!name.starts_with("uverbs")) continue;
    const std::string device = read_line(files, (directory / name / "ibdev").string());
    if (!device.empty()) nodes.emplace(device, name);
  }
  return nodes;
}

UverbsNode look_at(FileReader& files, const Roots& roots,
                   const std::map<std::string, std::string>& nodes, const std::string& device) {
  UverbsNode node{device, "", 0};
  if (const auto found = nodes.find(device); found != nodes.end()) {
    node.path = (roots.dev / "infiniband" / found->second).string();
    node.open_error = open_error(files, node.path);
  }
  return node;
}

}  // namespace

std::vector<std::string> wanted_modules() {
  return {"ib_core", "ib_uverbs", "rdma_cm", "rdma_ucm"};
}

UverbsNode read_uverbs(FileReader& files, const Roots& roots, const std::string& device) {
  int ignored = 0;
  return look_at(files, roots, verbs_nodes(files, roots, ignored), device);
}

Readiness read_readiness(FileReader& files, const Roots& roots) {
  Readiness out;
  const auto class_directory = roots.sys / "class/infiniband";
  const auto nodes = verbs_nodes(files, roots, out.verbs_class_error);
  for (const std::string& device : names_in(files, class_directory, out.class_error)) {
    if (files.resolve((class_directory / device).string()).empty()) {
      out.dangling.push_back(device);
      continue;
    }
    out.devices.push_back(look_at(files, roots, nodes, device));
  }
  int error = 0;
  const std::vector<std::string> modules = names_in(files, roots.sys / "module", error);
  out.modules_known = error == 0;
  for (const std::string& wanted : wanted_modules()) {
    if (std::binary_search(modules.begin(), modules.end(), wanted)) out.modules.push_back(wanted);
  }
  return out;
}

}  // namespace rdmadiag::host
