#include "agent/host/devlink_messages.h"

#include <linux/devlink.h>

#include <algorithm>
#include <utility>

namespace rdmadiag::host {
namespace {

constexpr std::size_t kMaxVersions = 64;

// DEVLINK_ATTR_FMSG_OBJ_VALUE_TYPE: the kernel's NLA_* numbers.
bool is_number_type(int type) { return (type >= 1 && type <= 4) || type == 6; }

// "pci/0000:3b:00.0" out of its two halves, in either order.
struct Handle {
  std::string bus;
  std::string device;

  void take(const Attribute& a) {
    if (a.type == DEVLINK_ATTR_BUS_NAME) bus = a.text();
    if (a.type == DEVLINK_ATTR_DEV_NAME) device = a.text();
  }
  [[nodiscard]] bool complete() const { return !bus.empty() && !device.empty(); }
  [[nodiscard]] std::string text() const { return bus + "/" + device; }
};

std::optional<bool> boolean(const Attribute& a) {
  const auto value = a.u8();
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

bool take_reporter(Bytes nest, core::HealthReporter& reporter) {
  return walk_attributes(nest, [&](const Attribute& a) {
    switch (a.type) {
      case DEVLINK_ATTR_HEALTH_REPORTER_NAME: reporter.name = a.text(); break;
      case DEVLINK_ATTR_HEALTH_REPORTER_STATE:
        if (const auto state = a.u8()) reporter.state = *state;
        break;
      case DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT: reporter.errors = a.number(); break;
      case DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT: reporter.recoveries = a.number(); break;
      case DEVLINK_ATTR_HEALTH_REPORTER_AUTO_RECOVER:
        reporter.automatic_recovery = boolean(a);
        break;
    }
    return true;
  });
}

core::FirmwareVersion& version_of(DevlinkInfo& info, const std::string& name) {
  const auto found = std::find_if(info.versions.begin(), info.versions.end(),
                                  [&](const core::FirmwareVersion& v) { return v.name == name; });
  if (found != info.versions.end()) return *found;
  core::FirmwareVersion& added = info.versions.emplace_back();
  added.name = name;
  return added;
}

bool take_version(const Attribute& nest, DevlinkInfo& info) {
  std::string name;
  std::string value;
  const bool whole = walk_attributes(nest.payload, [&](const Attribute& a) {
    if (a.type == DEVLINK_ATTR_INFO_VERSION_NAME) name = a.text();
    if (a.type == DEVLINK_ATTR_INFO_VERSION_VALUE) value = a.text();
    return true;
  });
  if (name.empty() || info.versions.size() >= kMaxVersions) return whole;
  core::FirmwareVersion& version = version_of(info, name);
  if (nest.type == DEVLINK_ATTR_INFO_VERSION_FIXED) version.fixed = value;
  if (nest.type == DEVLINK_ATTR_INFO_VERSION_RUNNING) version.running = value;
  if (nest.type == DEVLINK_ATTR_INFO_VERSION_STORED) version.stored = value;
  return whole;
}

}  // namespace

core::Result<core::HealthReporter> decode_health_reporter(Bytes attributes) {
  core::HealthReporter reporter;
  Handle handle;
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    handle.take(a);
    if (a.type == DEVLINK_ATTR_PORT_INDEX) reporter.port_index = a.u32();
    return a.type != DEVLINK_ATTR_HEALTH_REPORTER || take_reporter(a.payload, reporter);
  });
  if (!whole) return core::fail("HEALTH_REPORTER_GET: malformed netlink reply");
  if (!handle.complete() || reporter.name.empty())
    return core::fail("HEALTH_REPORTER_GET: netlink reply without a reporter");
  reporter.handle = handle.text();
  return reporter;
}

core::Result<DevlinkInfo> decode_devlink_info(Bytes attributes) {
  DevlinkInfo info;
  Handle handle;
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    handle.take(a);
    switch (a.type) {
      case DEVLINK_ATTR_INFO_DRIVER_NAME: info.driver = a.text(); break;
      case DEVLINK_ATTR_INFO_SERIAL_NUMBER: info.serial_number = a.text(); break;
      case DEVLINK_ATTR_INFO_VERSION_FIXED:
      case DEVLINK_ATTR_INFO_VERSION_RUNNING:
      case DEVLINK_ATTR_INFO_VERSION_STORED: return take_version(a, info);
    }
    return true;
  });
  if (!whole) return core::fail("INFO_GET: malformed netlink reply");
  if (!handle.complete()) return core::fail("INFO_GET: netlink reply without a device");
  info.handle = handle.text();
  return info;
}

PayloadWriter reporter_request(const core::HealthReporter& reporter) {
  const std::size_t slash = reporter.handle.find('/');
  PayloadWriter request;
  request.text(DEVLINK_ATTR_BUS_NAME, reporter.handle.substr(0, slash));
  request.text(DEVLINK_ATTR_DEV_NAME,
               slash == std::string::npos ? "" : reporter.handle.substr(slash + 1));
  if (reporter.port_index) request.u32(DEVLINK_ATTR_PORT_INDEX, *reporter.port_index);
  request.text(DEVLINK_ATTR_HEALTH_REPORTER_NAME, reporter.name);
  return request;
}

core::Status DiagnosisReader::feed(Bytes attributes) {
  core::Status status;
  const bool whole = walk_attributes(attributes, [&](const Attribute& outer) {
    if (outer.type != DEVLINK_ATTR_FMSG) return true;
    return walk_attributes(outer.payload, [&](const Attribute& a) {
      if (status) status = mark(a);
      return true;
    });
  });
  if (!whole) return core::fail("DIAGNOSE: malformed netlink reply");
  return status;
}

core::Status DiagnosisReader::mark(const Attribute& a) {
  switch (a.type) {
    case DEVLINK_ATTR_FMSG_OBJ_NEST_START:
    case DEVLINK_ATTR_FMSG_PAIR_NEST_START:
    case DEVLINK_ATTR_FMSG_ARR_NEST_START:
      if (names_.size() == kMaxDepth) return core::fail("DIAGNOSE: nested too deep");
      names_.emplace_back();
      break;
    case DEVLINK_ATTR_FMSG_NEST_END:
      if (names_.empty()) return core::fail("DIAGNOSE: an end without a start");
      names_.pop_back();
      break;
    case DEVLINK_ATTR_FMSG_OBJ_NAME:
      if (!names_.empty()) names_.back() = a.text();
      break;
    case DEVLINK_ATTR_FMSG_OBJ_VALUE_TYPE: value_type_ = a.u8().value_or(0); break;
    case DEVLINK_ATTR_FMSG_OBJ_VALUE_DATA:
      take_value(a);
      value_type_ = 0;
      break;
  }
  return {};
}

void DiagnosisReader::take_value(const Attribute& a) {
  const auto number = a.number();
  if (!number || !is_number_type(value_type_) || values_.size() == kMaxValues) return;
  const auto named = [](const std::string& name) { return !name.empty(); };
  const auto own = std::find_if(names_.rbegin(), names_.rend(), named);
  if (own == names_.rend()) return;
  const auto around = std::find_if(own + 1, names_.rend(), named);
  values_.push_back({around == names_.rend() ? std::string() : *around, *own, *number});
}

}  // namespace rdmadiag::host
