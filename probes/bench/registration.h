// What registering and giving up memory costs: why it is done once, before anything is measured.
#pragma once

#include <cstdint>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "probes/bench/figures.h"
#include "probes/bench/plan.h"
#include "probes/verbs/device.h"

namespace rdmadiag::probes {

struct RegistrationFigures {
  std::uint32_t size = 0;
  LatencyFigures registering = {};
  LatencyFigures releasing = {};
};

// Of memory of `size` bytes that was touched before, so that no page has to be made.
[[nodiscard]] core::Result<RegistrationFigures> measure_registration(const Device& device,
                                                                     std::uint32_t size,
                                                                     const BenchLimit& limit,
                                                                     const core::Clock& clock);

}  // namespace rdmadiag::probes
