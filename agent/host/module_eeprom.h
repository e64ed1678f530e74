// A transceiver's memory as readings: SFF-8472 (SFP), SFF-8636 (QSFP), CMIS (QSFP-DD, OSFP).
// Pure but for the function that fetches bytes, which may fail at any page: what was read until
// then is kept. Flags that clear when read are never asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "agent/core/nic.h"
#include "agent/core/result.h"
#include "agent/host/ethtool_messages.h"

namespace rdmadiag::host {

// Exactly `length` bytes, or an error.
using ReadModule = std::function<core::Result<std::vector<std::uint8_t>>(const ModuleAddress&)>;

struct ModuleReading {
  core::ModuleSnapshot module;
  std::vector<core::Error> missing;  // pages that could not be read
};

// An Error when even the first bytes cannot be read: no module, no right, no support.
[[nodiscard]] core::Result<ModuleReading> read_module(const ReadModule& read);

}  // namespace rdmadiag::host
