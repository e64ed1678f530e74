// Words for the enumerations of the catalogue, as commands print and take them.
#pragma once

#include <string_view>

#include "agent/core/catalogue.h"

namespace rdmadiag::cli {

[[nodiscard]] std::string_view source_word(core::CounterSource source);  // "port_counters"
[[nodiscard]] std::string_view type_name(core::MetricType type);
[[nodiscard]] std::string_view severity_word(core::Severity severity);
[[nodiscard]] std::string_view scope_labels(core::MetricScope scope);  // "device, port"

}  // namespace rdmadiag::cli
