#include "agent/host/pcie.h"

#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/hwmon.h"
#include "agent/host/sysfs_parse.h"
#include "agent/host/value_file.h"

namespace rdmadiag::host {
namespace {

using core::Source;

// What the kernel prints when it cannot tell, as on virtual functions: no value, and no issue.
bool is_unknown(std::string_view text) {
  const std::string_view word = trim(text);
  return word.starts_with("Unknown") || word == "0" || word == "255";
}

class PcieSource final : public DeviceSource {
 public:
  explicit PcieSource(const DeviceContext& context)
      : session_(context.session),
        directory_(context.pci_directory),
        hwmon_(*session_, context.pci_directory) {
    const std::string name = std::filesystem::path(directory_).filename();
    if (is_pci_address(name)) fixed_.address = name;
  }

  [[nodiscard]] Source source() const override { return Source::kPcie; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    if (refresh_) read_fixed(issues);
    refresh_ = false;
    core::PcieSnapshot& pcie = device.pcie;
    pcie = fixed_;
    read_at_once(*session_, std::array{&aer_correctable_, &aer_nonfatal_, &aer_fatal_});
    pcie.aer_correctable = read_value(aer_correctable_, Source::kPcie, issues, parse_aer_total);
    pcie.aer_nonfatal = read_value(aer_nonfatal_, Source::kPcie, issues, parse_aer_total);
    pcie.aer_fatal = read_value(aer_fatal_, Source::kPcie, issues, parse_aer_total);
    hwmon_.read(device.temperatures, issues);
    return vendor_readable_;
  }

  void refresh() override { refresh_ = true; }

 private:
  ValueFile file(const std::string& name) {
    return {*session_, directory_ + "/" + name, ValueFile::Presence::kOptional};
  }

  template <class Parse>
  static auto link_value(ValueFile& file, IssueLog& issues, Parse parse)
      -> decltype(parse(std::string_view())) {
    const ReadOutcome outcome = file.read();
    if (!outcome.ok()) {
      issues.add_outcome(Source::kPcie, file.path(), outcome);
      return std::nullopt;
    }
    auto value = parse(outcome.text);
    if (value || is_unknown(outcome.text)) {
      file.accept();
    } else {
      file.reject();
      issues.add_parse_error(Source::kPcie, file.path(), outcome.text);
    }
    return value;
  }

  void read_fixed(IssueLog& issues) {
    const StandingIssues standing(issues);
    vendor_readable_ = session_->read_once(directory_ + "/vendor").ok();
    for (ValueFile* optional : {&aer_correctable_, &aer_nonfatal_, &aer_fatal_}) {
      optional->forget_absence();
    }
    // The kernel asks the function itself, over the link; a link that has become slower stays so.
    ValueFile speed = file("current_link_speed");
    ValueFile width = file("current_link_width");
    fixed_.current_speed_transfers_per_second = link_value(speed, issues, parse_link_speed);
    fixed_.current_width_lanes = link_value(width, issues, parse_link_width);
    ValueFile max_speed = file("max_link_speed");
    ValueFile max_width = file("max_link_width");
    fixed_.max_speed_transfers_per_second = link_value(max_speed, issues, parse_link_speed);
    fixed_.max_width_lanes = link_value(max_width, issues, parse_link_width);
    ValueFile slot_speed = file("../max_link_speed");
    ValueFile slot_width = file("../max_link_width");
    fixed_.slot_max_speed_transfers_per_second = link_value(slot_speed, issues, parse_link_speed);
    fixed_.slot_max_width_lanes = link_value(slot_width, issues, parse_link_width);
    ValueFile numa = file("numa_node");
    const auto node = read_value(numa, Source::kPcie, issues, parse_integer);
    fixed_.numa_node.reset();
    if (node && *node >= 0 && *node < 1 << 16) fixed_.numa_node = static_cast<int>(*node);
    const ReadOutcome cpus = session_->read_once(directory_ + "/local_cpulist");
    fixed_.local_cpus = cpus.ok() ? core::to_utf8(trim(cpus.text)) : std::string();
    const ReadOutcome domain = session_->read_once(directory_ + "/iommu_group/type");
    fixed_.iommu_domain = domain.ok() ? core::to_utf8(trim(domain.text)) : std::string();
    fixed_.is_vf = !session_->files().resolve(directory_ + "/physfn").empty();
    hwmon_.list(issues);
  }

  std::shared_ptr<ReadSession> session_;
  std::string directory_;
  ValueFile aer_correctable_ = file("aer_dev_correctable");
  ValueFile aer_nonfatal_ = file("aer_dev_nonfatal");
  ValueFile aer_fatal_ = file("aer_dev_fatal");
  HwmonSensors hwmon_;
  core::PcieSnapshot fixed_;  // address, link and what else is read at refresh only
  bool vendor_readable_ = false;
  bool refresh_ = true;
};

}  // namespace

std::unique_ptr<DeviceSource> make_pcie_source(const DeviceContext& context) {
  if (context.pci_directory.empty()) return nullptr;
  return std::make_unique<PcieSource>(context);
}

}  // namespace rdmadiag::host
