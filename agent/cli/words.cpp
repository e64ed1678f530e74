#include "agent/cli/words.h"

namespace rdmadiag::cli {

std::string_view source_word(core::CounterSource source) {
  switch (source) {
    case core::CounterSource::kPortCounters: return "port_counters";
    case core::CounterSource::kPortHwCounters: return "port_hw_counters";
    case core::CounterSource::kDeviceHwCounters: return "device_hw_counters";
    case core::CounterSource::kEthtool: return "ethtool";
  }
  return "";
}

std::string_view type_name(core::MetricType type) {
  return type == core::MetricType::kCounter ? "counter" : "gauge";
}

std::string_view severity_word(core::Severity severity) {
  switch (severity) {
    case core::Severity::kInfo: return "info";
    case core::Severity::kWarn: return "warn";
    case core::Severity::kCritical: return "critical";
  }
  return "";
}

std::string_view scope_labels(core::MetricScope scope) {
  switch (scope) {
    case core::MetricScope::kDevice: return "device";
    case core::MetricScope::kPort: return "device, port";
    case core::MetricScope::kNetdev: return "device, netdev";
  }
  return "";
}

}  // namespace rdmadiag::cli
