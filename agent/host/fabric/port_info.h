// PortInfo's width and speed codes (InfiniBand specification, volume 1, 14.2.5.6) as lanes and bits
// per second.
#pragma once

#include <cstdint>

#include "agent/core/fabric.h"

namespace rdmadiag::host {

// Of a code with one bit, that one; of a mask, the most it holds. 0 for none or unknown.
[[nodiscard]] int width_lanes(std::uint32_t width_mask);

// `speed_mask`: SDR 1, DDR 2, QDR 4. `extended_mask`: FDR 1, EDR 2, HDR 4, NDR 8, XDR 16; 0 when
// the port has no extended speeds. Data rate of one lane.
[[nodiscard]] double lane_rate(std::uint32_t speed_mask, std::uint32_t extended_mask);

}  // namespace rdmadiag::host
