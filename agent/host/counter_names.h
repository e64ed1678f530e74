// Kernel counter names to catalogue rows, also for a device whose driver is not known.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "agent/core/catalogue.h"

namespace rdmadiag::host {

// A row for each name, null where the catalogue has none. Without a driver the rows are those of
// the drivers that know most of the names, and a name on which they differ has none.
[[nodiscard]] std::vector<const core::CounterSpec*> find_rows(
    core::CounterSource source, std::string_view driver, std::span<const std::string_view> names);

}  // namespace rdmadiag::host
