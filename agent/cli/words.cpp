#include "agent/cli/words.h"

#include <set>

#include "agent/core/enums.h"

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

std::vector<std::string> value_words(std::string_view value_name) {
  if (value_name == "CLASS") {
    std::set<std::string> classes;
    for (const core::CounterSpec& spec : core::all_counters()) {
      classes.emplace(spec.counter_class);
    }
    return {classes.begin(), classes.end()};
  }
  if (value_name == "OPERATION") return {"write", "read", "send"};
  if (value_name == "TRANSPORT") return {"rc", "uc", "ud"};
  if (value_name == "METRIC") return {"latency", "bandwidth", "both", "registration"};
  if (value_name != "STATE") return {};
  std::vector<std::string> states;
  for (int state = 0; state < kQueuePairStates; ++state) {
    states.push_back(core::qp_state_name(state));
  }
  return states;
}

}  // namespace rdmadiag::cli
