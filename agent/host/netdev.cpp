#include "agent/host/netdev.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/utf8.h"
#include "agent/host/netdev_files.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

using core::Source;

class NetdevSource final : public DeviceSource {
 public:
  explicit NetdevSource(const DeviceContext& context)
      : session_(context.session),
        class_net_((context.roots.sys / "class/net").string()),
        directory_(context.directory),
        pci_directory_(context.pci_directory) {}

  [[nodiscard]] Source source() const override { return Source::kNetdev; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    if (refresh_) find_fallbacks(device.ports.size());
    const bool relist = std::exchange(refresh_, false);
    std::vector<std::string> wanted;
    for (std::size_t i = 0; i < device.ports.size(); ++i) {
      core::PortSnapshot& port = device.ports[i];
      // An InfiniBand port has no netdev of its own; IPoIB's sits above it.
      if (port.netdev.empty() && port.link_layer != core::LinkLayer::kInfiniband) {
        port.netdev = fallbacks_[i];
      }
      if (port.netdev.empty()) continue;
      if (NetdevFiles* files = find(port.netdev, relist)) {
        port.netdev = master_of(*files, relist);
        add_with_members(port.netdev, relist, wanted);
      }
    }
    std::erase_if(netdevs_, [&](const auto& entry) {
      return std::find(wanted.begin(), wanted.end(), entry.first) == wanted.end();
    });
    for (const std::string& name : wanted) {
      device.netdevs.push_back(netdevs_.at(name).read(issues));
    }
    return true;
  }

  void refresh() override { refresh_ = true; }

 private:
  // Null when this network namespace has no such netdev: then its name is all there is.
  NetdevFiles* find(const std::string& name, bool relist) {
    if (name.find('/') != name.npos || name.starts_with('.')) return nullptr;
    auto known = netdevs_.find(name);
    const bool fresh = known == netdevs_.end();
    if (fresh) {
      known = netdevs_.try_emplace(name, *session_, class_net_ + "/" + name, name).first;
    }
    if ((fresh || relist) && !known->second.list()) {
      netdevs_.erase(known);
      return nullptr;
    }
    return &known->second;
  }

  // The bond above, where the port's netdev is one of its members.
  std::string master_of(const NetdevFiles& files, bool relist) {
    const std::string master = files.fixed().master;
    const std::string own = files.fixed().name;
    if (master.empty()) return own;
    const NetdevFiles* above = find(master, relist);
    return above != nullptr && above->fixed().is_bond ? master : own;
  }

  void add_with_members(const std::string& name, bool relist, std::vector<std::string>& wanted) {
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) return;
    NetdevFiles* const files = find(name, relist);
    if (files == nullptr) return;
    wanted.push_back(name);
    for (const std::string& member : files->fixed().bond_members) {
      if (std::find(wanted.begin(), wanted.end(), member) != wanted.end()) continue;
      if (find(member, relist) != nullptr) wanted.push_back(member);
    }
  }

  // Where neither netlink nor the GID table names a port's netdev: rxe's `parent`, or the
  // function's only netdev.
  void find_fallbacks(std::size_t ports) {
    fallbacks_.assign(ports, std::string());
    if (ports != 1) return;
    const ReadOutcome parent = session_->read_once(directory_ + "/parent");
    if (parent.ok()) {
      fallbacks_.front() = core::to_utf8(trim(parent.text));
      return;
    }
    std::vector<DirectoryEntry> entries;
    if (pci_directory_.empty() || session_->files().list(pci_directory_ + "/net", entries) != 0) {
      return;
    }
    std::erase_if(entries, [](const DirectoryEntry& e) { return e.name.starts_with('.'); });
    if (entries.size() == 1) fallbacks_.front() = core::to_utf8(entries.front().name);
  }

  std::shared_ptr<ReadSession> session_;
  std::string class_net_;
  std::string directory_;
  std::string pci_directory_;
  std::vector<std::string> fallbacks_;  // one a port
  std::map<std::string, NetdevFiles> netdevs_;
  bool refresh_ = true;
};

}  // namespace

std::unique_ptr<DeviceSource> make_netdev_source(const DeviceContext& context) {
  return std::make_unique<NetdevSource>(context);
}

}  // namespace rdmadiag::host
