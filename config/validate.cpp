#include "config/validate.h"

#include <algorithm>
#include <charconv>

namespace rdmadiag::config {
namespace {

constexpr double kMostProbesPerSecond = 200;

const core::YamlEntry* find_entry(const core::YamlNode& map, std::string_view key) {
  const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const core::YamlEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

// Where "peers.static[1].address" stands, or the nearest part of the path that is in the file.
int line_of(const core::YamlNode& root, std::string_view path) {
  const core::YamlNode* node = &root;
  int line = root.line;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    std::string_view part = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    const std::size_t bracket = std::min(part.find('['), part.size());
    const core::YamlEntry* entry = find_entry(*node, part.substr(0, bracket));
    if (entry == nullptr) return line;
    line = entry->line;
    node = &entry->value;
    if (bracket == part.size()) continue;
    std::size_t index = 0;
    std::from_chars(part.data() + bracket + 1, part.data() + part.size() - 1, index);
    if (index >= node->items.size()) return line;
    node = &node->items[index];
    line = node->line;
  }
  return line;
}

class Checks {
 public:
  Checks(const core::YamlNode& root, core::Problems& problems) : root_(root), problems_(problems) {}

  void add(const std::string& path, std::string message) {
    // One complaint about a key is enough: a value that was refused reads as missing here.
    const bool known = std::any_of(problems_.begin(), problems_.end(), [&](const core::Problem& p) {
      return p.path == path || path.starts_with(p.path + '.') || path.starts_with(p.path + '[');
    });
    if (!known) problems_.push_back({line_of(root_, path), path, std::move(message)});
  }

 private:
  const core::YamlNode& root_;
  core::Problems& problems_;
};

std::string item(std::string_view list, std::size_t index, std::string_view key) {
  return std::string(list) + '[' + std::to_string(index) + "]." + std::string(key);
}

void check_peers(const Peers& peers, Checks& checks) {
  for (std::size_t i = 0; i < peers.static_peers.size(); ++i)
    if (peers.static_peers[i].address.empty())
      checks.add(item("peers.static", i, "address"), "is missing");
  for (std::size_t i = 0; i < peers.file_sd.size(); ++i)
    if (peers.file_sd[i].files.empty()) checks.add(item("peers.file_sd", i, "files"), "is missing");
  for (std::size_t i = 0; i < peers.http_sd.size(); ++i)
    if (peers.http_sd[i].url.empty()) checks.add(item("peers.http_sd", i, "url"), "is missing");
  for (std::size_t i = 0; i < peers.dns_sd.size(); ++i)
    if (peers.dns_sd[i].names.empty()) checks.add(item("peers.dns_sd", i, "names"), "is missing");
  if (!peers.etcd.prefix.starts_with('/')) checks.add("peers.etcd.prefix", "wants to begin with /");
  if (peers.tls.key_file.empty() && !peers.tls.cert_file.empty())
    checks.add("peers.tls.cert_file", "wants key_file beside it");
  if (peers.tls.cert_file.empty() && !peers.tls.key_file.empty())
    checks.add("peers.tls.key_file", "wants cert_file beside it");
}

void check_probes(const Probes& probes, Checks& checks) {
  if (probes.ud.leaf_rate + probes.ud.fabric_rate > kMostProbesPerSecond)
    checks.add("probes.ud.leaf_rate", "leaf_rate and fabric_rate together want at most 200");
  if (probes.insecure && !probes.key_file.empty())
    checks.add("probes.insecure", "contradicts key_file");
}

}  // namespace

void validate(const Config& config, const core::YamlNode& root, core::Problems& problems) {
  Checks checks(root, problems);
  if (config.devices.include.empty())
    checks.add("devices.include", "is empty: no device would be read");
  if (config.devices.link_layers.empty())
    checks.add("devices.link_layers", "is empty: no port would be read");
  check_peers(config.peers, checks);
  check_probes(config.probes, checks);
}

}  // namespace rdmadiag::config
