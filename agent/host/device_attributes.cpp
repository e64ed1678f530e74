#include "agent/host/device_attributes.h"

#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

using core::Source;

// enum rdma_node_type of the kernel.
constexpr int kNodeRnic = 4;
constexpr int kNodeUsnic = 5;
constexpr int kNodeUsnicUdp = 6;

std::optional<std::string> guid_text(std::string_view text) {
  const auto guid = parse_guid(text);
  if (!guid) return std::nullopt;
  return format_guid(*guid);
}

}  // namespace

DeviceAttributes::DeviceAttributes(ReadSession& session, const std::string& directory)
    : node_type_(session, directory + "/node_type"),
      node_guid_(session, directory + "/node_guid"),
      sys_image_guid_(session, directory + "/sys_image_guid") {
  const std::pair<const char*, std::string core::DeviceSnapshot::*> texts[] = {
      {"fw_ver", &core::DeviceSnapshot::firmware},
      {"board_id", &core::DeviceSnapshot::board_id},
      {"hca_type", &core::DeviceSnapshot::hca_type},
      {"node_desc", &core::DeviceSnapshot::node_description},
  };
  for (const auto& [name, field] : texts) {
    texts_.push_back(
        {field, ValueFile(session, directory + "/" + name, ValueFile::Presence::kOptional), {}});
  }
}

void DeviceAttributes::read(IssueLog& issues) {
  node_type_value_ = read_value(node_type_, Source::kSysfsPort, issues, parse_numbered_state);
  node_guid_value_ =
      read_value(node_guid_, Source::kSysfsPort, issues, guid_text).value_or(std::string());
  sys_image_guid_value_ =
      read_value(sys_image_guid_, Source::kSysfsPort, issues, guid_text).value_or(std::string());
  for (Text& text : texts_) {
    text.file.forget_absence();
    const ReadOutcome outcome = text.file.read();
    issues.add_outcome(Source::kSysfsPort, text.file.path(), outcome);
    text.value = outcome.ok() ? core::to_utf8(trim(outcome.text)) : std::string();
    if (outcome.ok()) text.file.accept();
  }
}

void DeviceAttributes::apply(core::DeviceSnapshot& device) const {
  if (!device.node_type) device.node_type = node_type_value_;
  if (device.node_guid.empty()) device.node_guid = node_guid_value_;
  if (device.sys_image_guid.empty()) device.sys_image_guid = sys_image_guid_value_;
  for (const Text& text : texts_) {
    std::string& field = device.*text.field;
    if (field.empty()) field = text.value;
  }
}

core::Protocol deduce_protocol(const std::string& driver, std::optional<int> node_type,
                               core::LinkLayer link_layer) {
  if (driver == "efa") return core::Protocol::kEfa;
  if (driver == "hfi1") return core::Protocol::kOmniPath;
  if (node_type == kNodeRnic) return core::Protocol::kIwarp;
  if (node_type == kNodeUsnic || node_type == kNodeUsnicUdp) return core::Protocol::kUsnic;
  switch (link_layer) {
    case core::LinkLayer::kInfiniband: return core::Protocol::kInfiniband;
    case core::LinkLayer::kEthernet: return core::Protocol::kRoce;
    case core::LinkLayer::kUnknown: return core::Protocol::kUnknown;
  }
  return core::Protocol::kUnknown;
}

}  // namespace rdmadiag::host
