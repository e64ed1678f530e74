// Words for the enumerations of the catalogue, as commands print and take them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/core/catalogue.h"

namespace rdmadiag::cli {

inline constexpr int kQueuePairStates = 7;  // RESET to ERR

[[nodiscard]] std::string_view source_word(core::CounterSource source);  // "port_counters"
[[nodiscard]] std::string_view type_name(core::MetricType type);
[[nodiscard]] std::string_view severity_word(core::Severity severity);
[[nodiscard]] std::string_view scope_labels(core::MetricScope scope);  // "device, port"

// What an option whose value is called so takes: the classes for CLASS, the states for STATE, and
// so on; nothing where any text will do.
[[nodiscard]] std::vector<std::string> value_words(std::string_view type_name);

}  // namespace rdmadiag::cli
