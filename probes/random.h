// Randomness as an argument: the real source is random_from_system, tests count or seed.
#pragma once

#include <cstdint>
#include <functional>

namespace rdmadiag::probes {

using RandomSource = std::function<std::uint32_t()>;

[[nodiscard]] RandomSource random_from_system();

// All queue pairs of one agent use the Q_Key that follows from its epoch, so a responder knows the
// Q_Key of whoever probes it from the message alone. It is a filter against strays, no secret. The
// top bit is clear: with it set a sender would need CAP_NET_RAW.
[[nodiscard]] constexpr std::uint32_t qkey_of_epoch(std::uint32_t epoch) {
  return epoch & 0x7fffffff;
}

// Never one whose Q_Key is 0 or one of the well-known ones.
[[nodiscard]] std::uint32_t make_epoch(const RandomSource& random);

}  // namespace rdmadiag::probes
