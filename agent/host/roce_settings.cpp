#include "agent/host/roce_settings.h"

#include <cerrno>
#include <charconv>

#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

constexpr int kMaxTrafficClass = 255;
constexpr int kMaxDscp = 63;

// The files of one port; most of them are not there on most hosts.
class SettingFiles {
 public:
  SettingFiles(ReadSession& session, IssueLog& issues) : session_(session), issues_(issues) {}

  std::optional<std::string> text(const std::string& path) {
    const ReadOutcome outcome = session_.read_once(path);
    if (outcome.ok()) return std::string(trim(outcome.text));
    if (outcome.error_number == EACCES || outcome.error_number == EPERM) {
      core::ReadIssue issue;
      issue.source = core::Source::kDcb;
      issue.path = path;
      issue.reason = core::IssueReason::kEperm;
      issue.error_number = outcome.error_number;
      issue.backing_off = true;  // a missing right is no fault
      issues_.add(std::move(issue));
    } else if (outcome.error_number != ENOENT && outcome.error_number != ENOTDIR) {
      issues_.add_outcome(core::Source::kDcb, path, outcome);
    }
    return std::nullopt;
  }

  std::optional<int> number(const std::string& path, int max) {
    const auto content = text(path);
    if (!content) return std::nullopt;
    const auto value = parse_counter(*content);
    if (value && *value <= static_cast<std::uint64_t>(max)) return static_cast<int>(*value);
    issues_.add_parse_error(core::Source::kDcb, path, *content);
    return std::nullopt;
  }

 private:
  ReadSession& session_;
  IssueLog& issues_;
};

// All eight priorities, or nothing: a missing file must not read as "off".
std::optional<core::PerPriority<bool>> read_enabled(SettingFiles& files,
                                                    const std::string& directory) {
  core::PerPriority<bool> enabled{};
  for (std::size_t i = 0; i < enabled.size(); ++i) {
    const auto value = files.number(directory + "/" + std::to_string(i), 1);
    if (!value) return std::nullopt;
    enabled[i] = *value != 0;
  }
  return enabled;
}

}  // namespace

std::optional<int> parse_traffic_class(std::string_view text) {
  const auto equals = text.find('=');
  std::string_view digits = trim(equals == std::string_view::npos ? text : text.substr(equals + 1));
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end == digits.data() || value > kMaxTrafficClass) return std::nullopt;
  return value;
}

std::optional<core::RoceSettings> read_roce_settings(const DeviceContext& context,
                                                     std::uint32_t port, const std::string& netdev,
                                                     IssueLog& issues) {
  SettingFiles files(*context.session, issues);
  core::RoceSettings settings;
  const std::string number = std::to_string(port);
  if (!netdev.empty()) {
    const std::string ecn = (context.roots.sys / "class/net" / netdev / "ecn").string();
    settings.ecn_notification_point = read_enabled(files, ecn + "/roce_np/enable");
    settings.ecn_reaction_point = read_enabled(files, ecn + "/roce_rp/enable");
    settings.cnp_dscp = files.number(ecn + "/roce_np/cnp_dscp", kMaxDscp);
    settings.cnp_priority =
        files.number(ecn + "/roce_np/cnp_802p_prio", static_cast<int>(core::kPriorities) - 1);
  }
  if (const auto text = files.text(context.directory + "/tc/" + number + "/traffic_class"))
    settings.traffic_class = parse_traffic_class(*text);
  const std::string rdma_cm =
      (context.roots.sys / "kernel/config/rdma_cm" / context.name / "ports" / number).string();
  settings.default_tos = files.number(rdma_cm + "/default_roce_tos", kMaxTrafficClass);
  settings.default_mode = files.text(rdma_cm + "/default_roce_mode").value_or("");
  if (!settings.cnp_dscp && context.driver == "mlx5" && !context.pci_directory.empty()) {
    const std::string address = context.pci_directory.substr(context.pci_directory.rfind('/') + 1);
    const std::string parameters =
        (context.roots.sys / "kernel/debug/mlx5" / address / "cc_params").string();
    settings.cnp_dscp = files.number(parameters + "/np_cnp_dscp", kMaxDscp);
    if (!settings.cnp_priority)
      settings.cnp_priority =
          files.number(parameters + "/np_cnp_prio", static_cast<int>(core::kPriorities) - 1);
  }
  if (settings.empty()) return std::nullopt;
  return settings;
}

std::optional<core::Trust> read_trust_file(const DeviceContext& context,
                                           const std::string& netdev) {
  const ReadOutcome outcome =
      context.session->read_once((context.roots.sys / "class/net" / netdev / "qos/trust").string());
  if (!outcome.ok()) return std::nullopt;
  const std::string_view text = trim(outcome.text);
  if (text == "dscp") return core::Trust::kDscp;
  if (text == "pcp") return core::Trust::kPcp;
  return std::nullopt;
}

}  // namespace rdmadiag::host
