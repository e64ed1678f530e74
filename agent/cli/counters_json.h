// `rdmadiag counters --json`; docs/schemas/counters.schema.json describes it.
#pragma once

#include <span>
#include <string>

#include "agent/core/changes.h"
#include "exporters/text.h"

namespace rdmadiag::cli {

// Values stay raw, with the scale beside them; rates are in the metric's unit.
[[nodiscard]] std::string counters_json(std::span<const core::DeviceChanges> changes,
                                        const exporters::CounterSelection& selection);

}  // namespace rdmadiag::cli
