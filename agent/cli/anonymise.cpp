#include "agent/cli/anonymise.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "agent/cli/pseudonyms.h"

namespace rdmadiag::cli {
namespace {

constexpr std::string_view kHostname = "proc/sys/kernel/hostname";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_plain_number(std::string_view text) {
  return text.find_first_not_of("0123456789 \n-") == std::string_view::npos;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t') {
      out.back() += c;
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

std::string with_tail(std::string text, std::string_view original) {
  return text.append(original.substr(trimmed(original).size()));
}

class Anonymiser {
 public:
  explicit Anonymiser(const host::Capture& original) : original_(original) {}

  host::Capture run() {
    learn_names();
    host::Capture out;
    for (const auto& [path, file] : original_.files) {
      // A PCI configuration space, which may hold a serial number.
      if (last_component(path) == "config") continue;
      host::CapturedFile copy = file;
      copy.content = content(path, file.content);
      out.files.emplace(rewrite_path(path), std::move(copy));
    }
    for (const auto& [path, directory] : original_.directories) {
      host::CapturedDirectory copy = directory;
      for (host::DirectoryEntry& entry : copy.entries) entry.name = component(entry.name);
      out.directories.emplace(rewrite_path(path), std::move(copy));
    }
    for (const auto& [path, target] : original_.resolved) {
      out.resolved.emplace(rewrite_path(path), rewrite_path(target));
    }
    if (original_.netlink) out.netlink = netlink(*original_.netlink);
    out.addresses = original_.addresses;
    if (out.addresses && out.addresses->value)
      for (host::NetdevAddress& address : *out.addresses->value)
        address.text = names_.rewrite(address.text);
    return out;
  }

 private:
  // A name that is a number, or a word of sysfs itself, says nothing and would tear paths apart.
  void learn(std::string_view kind, std::string_view name) {
    static constexpr std::array<std::string_view, 22> kStructure = {
        "sys",        "proc",    "dev",      "class",       "net",    "infiniband",       "device",
        "driver",     "ports",   "counters", "hw_counters", "gids",   "gid_attrs",        "pkeys",
        "statistics", "bonding", "master",   "hwmon",       "kernel", "infiniband_verbs", "devices",
        "virtual"};
    const bool has_letter = std::any_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             static_cast<unsigned char>(c) > 127;
    });
    if (!has_letter) return;
    if (std::find(kStructure.begin(), kStructure.end(), name) != kStructure.end()) return;
    (void)names_.name(kind, std::string(name));
  }

  void learn_names() {
    for (const auto& [path, file] : original_.files) {
      if (path == kHostname) {
        const std::string_view host = trimmed(file.content);
        learn("host", host);
        learn("host", host.substr(0, host.find('.')));
      } else if (path.find("/ndevs/") != std::string::npos || path.ends_with("/bonding/slaves") ||
                 path.ends_with("/bonding/active_slave")) {
        for (const std::string& name : words(file.content)) learn("netdev", name);
      }
    }
    for (const auto& [path, directory] : original_.directories) {
      const std::string_view parent = last_component(path);
      if (parent != "net" && parent != "infiniband") continue;
      for (const host::DirectoryEntry& entry : directory.entries) {
        if (entry.name.starts_with('.')) continue;
        learn(parent == "net" ? "netdev" : "rdma", entry.name);
      }
    }
    for (const auto& [path, target] : original_.resolved) {
      if (path.ends_with("/master")) learn("netdev", last_component(target));
    }
    if (!original_.netlink) return;
    for (const host::NetlinkDevice& device :
         original_.netlink->devices.value.value_or(std::vector<host::NetlinkDevice>{})) {
      learn("rdma", device.name);
    }
    for (const auto& [key, port] : original_.netlink->ports) {
      if (port.value) learn("netdev", port.value->netdev);
    }
  }

  std::string component(const std::string& name) const {
    if (const std::string* stand_in = names_.known_name(name)) return *stand_in;
    for (const std::string_view prefix : {"lower_", "upper_"}) {
      if (!name.starts_with(prefix)) continue;
      const std::string* stand_in = names_.known_name(name.substr(prefix.size()));
      if (stand_in != nullptr) return std::string(prefix) + *stand_in;
    }
    return name;
  }

  std::string rewrite_path(const std::string& path) const {
    std::string out;
    std::size_t at = 0;
    while (at <= path.size()) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      if (at > 0) out += '/';
      out += component(path.substr(at, end - at));
      at = end + 1;
    }
    return out;
  }

  std::string content(std::string_view path, const std::string& text) {
    const std::string_view file = last_component(path);
    if (file == "fw_ver" || file == "board_id" || file == "hca_type" || file == "osrelease") {
      return text;
    }
    if (file == "node_desc") {
      return with_tail(
          names_.name("node-description-", "description " + std::string(trimmed(text))), text);
    }
    if (file == "lid" || file == "sm_lid") return lid(text);
    if (is_plain_number(text)) return text;
    return names_.rewrite(text);
  }

  std::string lid(const std::string& text) {
    std::uint32_t value = 0;
    const std::string_view digits = trimmed(text);
    if (!digits.starts_with("0x")) return text;
    const char* end = digits.data() + digits.size();
    if (std::from_chars(digits.data() + 2, end, value, 16).ptr != end) return text;
    std::array<char, 16> out{};
    std::snprintf(out.data(), out.size(), "0x%x", names_.lid(value));
    return with_tail(out.data(), text);
  }

  host::CapturedNetlink netlink(const host::CapturedNetlink& original) {
    host::CapturedNetlink out = original;
    if (out.devices.value) {
      for (host::NetlinkDevice& device : *out.devices.value) {
        device.name = component(device.name);
        if (device.node_guid) device.node_guid = names_.eui64(*device.node_guid);
        if (device.sys_image_guid) device.sys_image_guid = names_.eui64(*device.sys_image_guid);
      }
    }
    for (auto& [key, answer] : out.ports) {
      if (!answer.value) continue;
      host::NetlinkPort& port = *answer.value;
      port.netdev = component(port.netdev);
      if (port.subnet_prefix) port.subnet_prefix = names_.subnet_prefix(*port.subnet_prefix);
      if (port.lid) port.lid = names_.lid(*port.lid);
      if (port.sm_lid) port.sm_lid = names_.lid(*port.sm_lid);
    }
    for (auto& [index, answer] : out.queue_pairs) {
      if (!answer.value) continue;
      for (core::QueuePair& pair : *answer.value) {
        // Without a process the owner is a kernel module.
        if (!pair.pid) continue;
        pair.pid = names_.pid(*pair.pid);
        if (!pair.owner.empty()) pair.owner = names_.name("process", "process " + pair.owner);
      }
    }
    return out;
  }

  const host::Capture& original_;
  Pseudonyms names_;
};

}  // namespace

host::Capture anonymise(const host::Capture& capture) { return Anonymiser(capture).run(); }

}  // namespace rdmadiag::cli
