// devlink's generic netlink as bytes: health reporters, their diagnosis, versions. Pure. Layouts:
// include/uapi/linux/devlink.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/nic.h"
#include "agent/core/result.h"
#include "agent/host/netlink_codec.h"

namespace rdmadiag::host {

inline constexpr std::uint8_t kDevlinkInfoGet = 51;
inline constexpr std::uint8_t kDevlinkHealthReporterGet = 52;
inline constexpr std::uint8_t kDevlinkHealthReporterDiagnose = 55;

// One message of the dump, and the notification of a change. The device is in `handle`.
[[nodiscard]] core::Result<core::HealthReporter> decode_health_reporter(Bytes attributes);

struct DevlinkInfo {
  std::string handle;  // "pci/0000:3b:00.0"
  std::string driver;
  std::string serial_number;
  std::vector<core::FirmwareVersion> versions;
};
[[nodiscard]] core::Result<DevlinkInfo> decode_devlink_info(Bytes attributes);

// For HEALTH_REPORTER_GET and DIAGNOSE; the latter needs CAP_NET_ADMIN. Never for DUMP_GET: it
// makes a dump where there is none.
[[nodiscard]] PayloadWriter reporter_request(const core::HealthReporter& reporter);

// What a reporter's diagnosis says, flattened: every value under the name before it.
struct DiagnosedValue {
  std::string object;  // the nearest enclosing named object: "vNIC env counters"
  std::string name;    // "cq_overrun"
  std::uint64_t value = 0;
};

// The formatted message comes as a flat run of marks that may be cut between messages anywhere:
// feed() takes them in order. Text and binary values are passed over.
class DiagnosisReader {
 public:
  [[nodiscard]] core::Status feed(Bytes attributes);
  [[nodiscard]] std::vector<DiagnosedValue> take() { return std::move(values_); }

  static constexpr std::size_t kMaxDepth = 32;
  static constexpr std::size_t kMaxValues = 4096;

 private:
  [[nodiscard]] core::Status mark(const Attribute& a);
  void take_value(const Attribute& a);

  std::vector<std::string> names_;  // of the open nests, outermost first; "" for one without
  int value_type_ = 0;
  std::vector<DiagnosedValue> values_;
};

}  // namespace rdmadiag::host
