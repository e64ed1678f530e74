#include "agent/host/dcb.h"

#include <linux/netlink.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "agent/host/dcb_messages.h"
#include "agent/host/netdev_counters.h"
#include "agent/host/netdev_driver.h"
#include "agent/host/netlink_issue.h"
#include "agent/host/roce_settings.h"

namespace rdmadiag::host {
namespace {

using core::NetdevSnapshot;

template <std::size_t N>
bool is_one_of(std::string_view driver, const std::array<std::string_view, N>& drivers) {
  return std::find(drivers.begin(), drivers.end(), driver) != drivers.end();
}

bool all_zero(const PfcCounts& counts) {
  const auto zero = [](std::uint64_t value) { return value == 0; };
  return std::all_of(counts.requests.begin(), counts.requests.end(), zero) &&
         std::all_of(counts.indications.begin(), counts.indications.end(), zero);
}

// mlx5 gives a cache that only its ethtool statistics refresh; others leave the fields alone. A
// driver we do not know is believed when it has counted anything.
bool are_believable(std::string_view driver, const PfcCounts& counts) {
  constexpr std::array<std::string_view, 4> kNot = {"mlx5_core", "mlx4_en", "qede", "cxgb4"};
  constexpr std::array<std::string_view, 6> kKnown = {"bnxt_en", "ice",   "i40e",
                                                      "hns3",    "ixgbe", "mlxsw_spectrum"};
  if (is_one_of(driver, kNot)) return false;
  return is_one_of(driver, kKnown) || !all_zero(counts);
}

void add_counts(const PfcCounts& counts, std::string_view driver, NetdevSnapshot& netdev) {
  if (!are_believable(driver, counts)) return;
  const bool swapped = driver == "ixgbe";
  const auto& sent = swapped ? counts.indications : counts.requests;
  const auto& received = swapped ? counts.requests : counts.indications;
  StandardCounts standard(netdev, driver);
  for (std::size_t i = 0; i < core::kPriorities; ++i) {
    standard.add("dcb-pfc-requests-" + std::to_string(i), sent[i]);
    standard.add("dcb-pfc-indications-" + std::to_string(i), received[i]);
  }
}

class DcbSource final : public DeviceSource {
 public:
  DcbSource(std::shared_ptr<NetlinkTransport> transport, const DeviceContext& context)
      : transport_(std::move(transport)), context_(context) {}

  [[nodiscard]] core::Source source() const override { return core::Source::kDcb; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    bool good = true;
    for (NetdevSnapshot& netdev : device.netdevs)
      good = read_netdev(netdev_driver(device, netdev), netdev, issues) && good;
    if (std::exchange(settings_due_, false)) read_settings(device, issues);
    for (core::PortSnapshot& port : device.ports) {
      const auto found = settings_.find(port.number);
      if (found != settings_.end()) port.roce = found->second;
    }
    return good;
  }

  void refresh() override {
    settings_due_ = true;
    refused_.clear();
  }

 private:
  bool read_netdev(const std::string& driver, NetdevSnapshot& netdev, IssueLog& issues) {
    const auto refused = refused_.find(netdev.name);
    if (refused != refused_.end()) {
      note(issues, netdev, refused->second, Counted::kNo);
      return true;
    }
    auto reply = ask(netdev.name);
    if (!reply) {
      const bool unsupported = is_refusal(reply.error());
      if (unsupported) refused_.emplace(netdev.name, reply.error());
      note(issues, netdev, reply.error(), unsupported ? Counted::kNo : Counted::kYes);
      return unsupported;
    }
    if (const auto trust = read_trust_file(context_, netdev.name)) {
      reply->dcb.trust = trust;
      reply->dcb.trust_learnt_from = "sysfs qos/trust";
    }
    learn_trust(driver, reply->dcb);
    if (reply->counts) add_counts(*reply->counts, driver, netdev);
    netdev.dcb = std::move(reply->dcb);
    return true;
  }

  core::Result<DcbReply> ask(const std::string& netdev) {
    const auto reply = transport_->transact(
        {.type = kRtmGetDcb, .dump = false, .payload = dcb_request(kDcbIeeeGet, netdev)});
    if (!reply) return tl::make_unexpected(reply.error());
    if (reply->size() == 0) return core::fail("IEEE_GET: no reply");
    return decode_dcb_ieee(reply->payload(0));
  }

  void read_settings(const core::DeviceSnapshot& device, IssueLog& issues) {
    const StandingIssues standing(issues);
    settings_.clear();
    for (const core::PortSnapshot& port : device.ports) {
      if (port.link_layer != core::LinkLayer::kEthernet) continue;
      if (auto settings = read_roce_settings(context_, port.number, port.netdev, issues))
        settings_.emplace(port.number, *std::move(settings));
    }
  }

  static void note(IssueLog& issues, const NetdevSnapshot& netdev, const core::Error& error,
                   Counted counted) {
    note_unanswered(issues, core::Source::kDcb, "dcb " + netdev.name + ": IEEE_GET", error,
                    counted);
  }

  const std::shared_ptr<NetlinkTransport> transport_;
  const DeviceContext context_;
  std::map<std::string, core::Error> refused_;
  std::map<std::uint32_t, core::RoceSettings> settings_;
  bool settings_due_ = true;
};

}  // namespace

std::shared_ptr<NetlinkTransport> make_dcb_transport() {
  return std::make_shared<NetlinkSocketPool>(NETLINK_ROUTE);
}

DeviceSourceFactory dcb_source(std::shared_ptr<NetlinkTransport> transport) {
  return [transport = std::move(transport)](const DeviceContext& context) {
    return std::make_unique<DcbSource>(transport, context);
  };
}

}  // namespace rdmadiag::host
