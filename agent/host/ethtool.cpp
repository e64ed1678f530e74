#include "agent/host/ethtool.h"

#include <linux/netlink.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "agent/host/ethtool_messages.h"
#include "agent/host/netdev_counters.h"
#include "agent/host/netlink_issue.h"
#include "agent/host/private_statistics.h"

namespace rdmadiag::host {
namespace {

using core::EthtoolSnapshot;
using core::NetdevSnapshot;

core::Status take_linkmodes(Bytes attributes, EthtoolSnapshot& ethtool, std::vector<NamedCount>&) {
  return decode_linkmodes(attributes, ethtool.link);
}

core::Status take_linkstate(Bytes attributes, EthtoolSnapshot& ethtool,
                            std::vector<NamedCount>& counts) {
  return decode_linkstate(attributes, ethtool.link, counts);
}

core::Status take_pause(Bytes attributes, EthtoolSnapshot& ethtool,
                        std::vector<NamedCount>& counts) {
  auto pause = decode_pause(attributes, counts);
  if (!pause) return tl::make_unexpected(pause.error());
  ethtool.pause = *pause;
  return {};
}

core::Status take_fec(Bytes attributes, EthtoolSnapshot& ethtool, std::vector<NamedCount>& counts) {
  auto fec = decode_fec(attributes, counts);
  if (!fec) return tl::make_unexpected(fec.error());
  ethtool.fec = *std::move(fec);
  return {};
}

core::Status take_stats(Bytes attributes, EthtoolSnapshot&, std::vector<NamedCount>& counts) {
  return decode_standard_stats(attributes, counts);
}

struct Question {
  std::uint8_t command;
  const char* name;
  PayloadWriter (*request)(std::string_view netdev);
  core::Status (*take)(Bytes, EthtoolSnapshot&, std::vector<NamedCount>&);
};
constexpr std::array<Question, 5> kQuestions = {{
    {kEthtoolLinkmodesGet, "LINKMODES_GET", ethtool_request, take_linkmodes},
    {kEthtoolLinkstateGet, "LINKSTATE_GET", ethtool_request, take_linkstate},
    {kEthtoolPauseGet, "PAUSE_GET", ethtool_request_with_statistics, take_pause},
    {kEthtoolFecGet, "FEC_GET", ethtool_request_with_statistics, take_fec},
    {kEthtoolStatsGet, "STATS_GET", ethtool_stats_request, take_stats},
}};

void add_lanes(StandardCounts& counts, const char* name, const std::vector<std::uint64_t>& lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i)
    counts.add(std::string(name) + "-lane-" + std::to_string(i), lanes[i]);
}

// What is kept of one netdev between reads.
struct NetdevState {
  explicit NetdevState(const std::string& netdev, const EthtoolParts& parts)
      : module(netdev, parts.netlink, parts.launch) {}

  std::optional<NetdevDriver> driver;
  PrivateStatistics statistics;
  std::map<std::string, int> refused;  // what was asked in vain → errno; until refresh
  ModuleReader module;
  std::uint64_t module_reads = 0;
};

class EthtoolSource final : public DeviceSource {
 public:
  EthtoolSource(EthtoolParts parts, const DeviceContext& context)
      : parts_(std::move(parts)),
        session_(context.session),
        extra_(extra_statistics(context.options.ethtool_extra)) {}

  [[nodiscard]] core::Source source() const override { return core::Source::kEthtool; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    bool good = true;
    std::set<std::string> present;
    for (NetdevSnapshot& netdev : device.netdevs) {
      present.insert(netdev.name);
      // A bond has no statistics: its members are in the list by themselves.
      if (!netdev.is_bond) good = read_netdev(netdev, issues) && good;
    }
    std::erase_if(states_, [&](const auto& entry) { return !present.contains(entry.first); });
    return good;
  }

  void refresh() override {
    for (auto& [name, state] : states_) {
      state.driver.reset();
      state.statistics.forget();
      state.refused.clear();
    }
  }

 private:
  bool read_netdev(NetdevSnapshot& netdev, IssueLog& issues) {
    NetdevState& state = states_.try_emplace(netdev.name, netdev.name, parts_).first->second;
    EthtoolSnapshot& ethtool = netdev.ethtool.emplace();
    if (!state.driver) {
      auto driver = parts_.ioctl->driver(netdev.name);
      if (!driver) {
        netdev.ethtool.reset();
        const bool unsupported = is_refusal(driver.error());
        note_unanswered(issues, source(), question_of(netdev, "GDRVINFO"), driver.error(),
                        unsupported ? Counted::kNo : Counted::kYes);
        return unsupported;
      }
      state.driver = *std::move(driver);
    }
    ethtool.driver = state.driver->name;
    ethtool.driver_version = state.driver->version;
    ethtool.firmware = state.driver->firmware;
    read_statistics(netdev, state, issues);
    for (const Question& question : kQuestions) ask(question, netdev, state, issues);
    read_module(netdev, state, issues);
    list_refused(netdev, state, issues);
    return true;
  }

  void read_statistics(NetdevSnapshot& netdev, NetdevState& state, IssueLog& issues) {
    constexpr const char* kName = "GSTATS";
    if (state.refused.contains(kName)) return;
    const auto done = state.statistics.read(*parts_.ioctl, state.driver->name, extra_, netdev);
    if (!done) fail(kName, done.error(), netdev, state, issues);
  }

  void ask(const Question& question, NetdevSnapshot& netdev, NetdevState& state, IssueLog& issues) {
    if (state.refused.contains(question.name)) return;
    std::vector<NamedCount> counts;
    const auto done = transact(question, netdev, counts);
    if (!done) {
      fail(question.name, done.error(), netdev, state, issues);
      return;
    }
    StandardCounts standard(netdev, state.driver->name);
    for (const NamedCount& count : counts) standard.add(count.name, count.value);
    if (question.command != kEthtoolFecGet || !netdev.ethtool->fec) return;
    const core::FecLaneCounts& lanes = netdev.ethtool->fec->lanes;
    add_lanes(standard, "fec-corrected-blocks", lanes.corrected_blocks);
    add_lanes(standard, "fec-uncorrectable-blocks", lanes.uncorrectable_blocks);
    add_lanes(standard, "fec-corrected-bits", lanes.corrected_bits);
  }

  core::Status transact(const Question& question, NetdevSnapshot& netdev,
                        std::vector<NamedCount>& counts) {
    const auto reply = parts_.netlink->request(question.command, question.request(netdev.name));
    if (!reply) return tl::make_unexpected(reply.error());
    if (reply->size() == 0) return core::fail(std::string(question.name) + ": no reply");
    const auto message = decode_generic(reply->payload(0));
    if (!message) return tl::make_unexpected(message.error());
    return question.take(message->attributes, *netdev.ethtool, counts);
  }

  void read_module(NetdevSnapshot& netdev, NetdevState& state, IssueLog& issues) {
    // A virtual function has no cage of its own.
    if (netdev.is_vf) return;
    const ModuleResult result = state.module.poll(session_->now(), session_->clock().system());
    netdev.module = result.module;
    // An empty cage and a module that cannot be read look alike, which is why neither is an error.
    const bool fresh = result.reads != state.module_reads;
    state.module_reads = result.reads;
    for (const core::Error& problem : result.problems)
      note_unanswered(issues, source(), question_of(netdev, "MODULE_EEPROM_GET"), problem,
                      result.module && fresh ? Counted::kYes : Counted::kNo);
  }

  static void fail(const char* question, const core::Error& error, const NetdevSnapshot& netdev,
                   NetdevState& state, IssueLog& issues) {
    if (is_refusal(error))
      state.refused.emplace(question, error.code.value());
    else
      note_unanswered(issues, core::Source::kEthtool, question_of(netdev, question), error);
  }

  // One entry for all that is not supported: it is no error, and many drivers support little.
  static void list_refused(const NetdevSnapshot& netdev, const NetdevState& state,
                           IssueLog& issues) {
    std::map<int, std::string> by_error;
    for (const auto& [question, number] : state.refused) {
      std::string& names = by_error[number];
      names += (names.empty() ? "" : ", ") + question;
    }
    for (const auto& [number, names] : by_error)
      note_unanswered(issues, core::Source::kEthtool, question_of(netdev, names),
                      {std::error_code(number, std::generic_category()), {}}, Counted::kNo);
  }

  static std::string question_of(const NetdevSnapshot& netdev, const std::string& question) {
    return "ethtool " + netdev.name + ": " + question;
  }

  const EthtoolParts parts_;
  const std::shared_ptr<ReadSession> session_;
  const ExtraStatistics extra_;
  std::map<std::string, NetdevState> states_;
};

}  // namespace

EthtoolParts make_ethtool_parts(Launch launch) {
  return {.ioctl = std::make_shared<SystemEthtoolIoctl>(),
          .netlink = std::make_shared<GenericNetlink>(
              std::make_shared<NetlinkSocketPool>(NETLINK_GENERIC), "ethtool"),
          .launch = std::move(launch)};
}

DeviceSourceFactory ethtool_source(EthtoolParts parts) {
  return [parts = std::move(parts)](const DeviceContext& context) {
    return std::make_unique<EthtoolSource>(parts, context);
  };
}

}  // namespace rdmadiag::host
