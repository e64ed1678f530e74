#include "agent/host/surroundings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "agent/host/cpu_list.h"
#include "agent/host/netlink_issue.h"
#include "agent/host/pci_acs.h"
#include "agent/host/readiness.h"

namespace rdmadiag::host {
namespace {

using core::Source;

constexpr std::size_t kMaxInterrupts = 4096;

class SurroundingsSource final : public DeviceSource {
 public:
  SurroundingsSource(AddressReader addresses, const DeviceContext& context)
      : read_addresses_(std::move(addresses)), context_(context) {}

  [[nodiscard]] Source source() const override { return Source::kHost; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    if (std::exchange(due_, false)) look(device, issues);
    for (core::NetdevSnapshot& netdev : device.netdevs) {
      const auto known = netdevs_.find(netdev.name);
      // One that came since is looked at with the next refresh.
      if (known == netdevs_.end()) continue;
      netdev.addresses = known->second.addresses;
      netdev.ipv4 = known->second.ipv4;
    }
    device.node = node_;
    device.interrupts = interrupts_;
    device.pcie.acs_redirects = acs_redirects_;
    return good_;
  }

  void refresh() override { due_ = true; }

 private:
  struct Netdev {
    std::optional<std::vector<std::string>> addresses;
    std::optional<core::Ipv4Settings> ipv4;
  };

  void look(const core::DeviceSnapshot& device, IssueLog& issues) {
    const StandingIssues standing(issues);
    const auto addresses = read_addresses_();
    good_ = addresses.has_value();
    if (!good_)
      note_unanswered(issues, Source::kHost, "rtnetlink: GETADDR", addresses.error(),
                      Counted::kYes);
    netdevs_.clear();
    for (const core::NetdevSnapshot& netdev : device.netdevs) {
      Netdev& entry = netdevs_[netdev.name];
      const auto index = number(context_.roots.sys / "class/net" / netdev.name / "ifindex");
      if (addresses && index) entry.addresses = addresses_of(*index, *addresses);
      entry.ipv4 = read_ipv4(netdev.name);
    }
    const UverbsNode node = read_uverbs(files(), context_.roots, context_.name);
    node_ = {.path = node.path, .open_error = node.open_error};
    interrupts_ = read_interrupts();
    acs_redirects_ = read_acs();
  }

  static std::vector<std::string> addresses_of(std::uint64_t index, const AddressList& all) {
    std::vector<std::string> own;
    for (const NetdevAddress& address : all)
      if (address.index == index) own.push_back(address.text);
    return own;
  }

  // The kernel goes by the higher of the two for all three settings.
  std::optional<core::Ipv4Settings> read_ipv4(const std::string& netdev) {
    const auto directory = context_.roots.proc / "sys/net/ipv4/conf";
    const auto effective = [&](const char* name) -> std::optional<int> {
      const auto all = number(directory / "all" / name);
      const auto own = number(directory / netdev / name);
      if (!all || !own) return std::nullopt;
      return static_cast<int>(std::max(*all, *own));
    };
    core::Ipv4Settings settings{effective("arp_ignore"), effective("arp_announce"),
                                effective("rp_filter")};
    if (!settings.arp_ignore && !settings.arp_announce && !settings.rp_filter) return std::nullopt;
    return settings;
  }

  std::optional<core::Interrupts> read_interrupts() {
    std::vector<DirectoryEntry> entries;
    if (context_.pci_directory.empty() ||
        files().list(context_.pci_directory + "/msi_irqs", entries) != 0)
      return std::nullopt;
    const auto local = cpus(context_.pci_directory + "/local_cpulist");
    if (!local || local->none()) return std::nullopt;
    core::Interrupts interrupts;
    for (std::size_t i = 0; i < std::min(entries.size(), kMaxInterrupts); ++i) {
      if (!parse_counter(entries[i].name)) continue;
      const auto directory = context_.roots.proc / "irq" / entries[i].name;
      auto target = cpus(directory / "effective_affinity_list");
      if (!target || target->none()) target = cpus(directory / "smp_affinity_list");
      if (!target || target->none()) continue;
      ++interrupts.total;
      if ((*target & *local).none()) ++interrupts.remote;
    }
    if (interrupts.total == 0) return std::nullopt;
    return interrupts;
  }

  // Any bridge on the way to the root that redirects is enough; one that cannot be read makes the
  // rest a guess.
  std::optional<bool> read_acs() {
    if (context_.pci_directory.empty()) return std::nullopt;
    bool unknown = false;
    bool any = false;
    for (auto bridge = std::filesystem::path(context_.pci_directory).parent_path();
         is_pci_address(bridge.filename().string()); bridge = bridge.parent_path()) {
      any = true;
      const ReadOutcome config = context_.session->read_once((bridge / "config").string());
      const auto redirects = config.ok() ? acs_redirects(config.text) : std::nullopt;
      if (redirects == true) return true;
      unknown = unknown || !redirects;
    }
    if (unknown || !any) return std::nullopt;
    return false;
  }

  std::optional<std::uint64_t> number(const std::filesystem::path& file) {
    const ReadOutcome outcome = context_.session->read_once(file.string());
    return outcome.ok() ? parse_counter(outcome.text) : std::nullopt;
  }
  std::optional<CpuSet> cpus(const std::filesystem::path& file) {
    const ReadOutcome outcome = context_.session->read_once(file.string());
    return outcome.ok() ? parse_cpu_list(outcome.text) : std::nullopt;
  }
  [[nodiscard]] FileReader& files() const { return context_.session->files(); }

  const AddressReader read_addresses_;
  const DeviceContext context_;
  std::map<std::string, Netdev> netdevs_;
  std::optional<core::DeviceNode> node_;
  std::optional<core::Interrupts> interrupts_;
  std::optional<bool> acs_redirects_;
  bool good_ = false;
  bool due_ = true;
};

}  // namespace

DeviceSourceFactory surroundings_source(AddressReader addresses) {
  return [addresses = std::move(addresses)](const DeviceContext& context) {
    return std::make_unique<SurroundingsSource>(addresses, context);
  };
}

}  // namespace rdmadiag::host
