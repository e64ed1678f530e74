// A subnet as JSON: docs/schemas/fabric.schema.json. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/fabric.h"

namespace rdmadiag::cli {

[[nodiscard]] std::string render_fabric_json(const core::Fabric& fabric,
                                             const std::vector<core::FabricFinding>& findings);

// "0x506b4b0300a1b2c3".
[[nodiscard]] std::string guid_text(std::uint64_t guid);

}  // namespace rdmadiag::cli
