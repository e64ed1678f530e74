// The 64 bits that come back with a completion. They carry all that is needed to know what
// completed, since every other field of a failed completion is undefined.
#pragma once

#include <cstdint>

namespace rdmadiag::probes {

enum class WorkKind : std::uint8_t { kNone = 0, kProbe, kReceive, kAck1, kAck2, kStale, kRcSend };

struct WorkId {
  WorkKind kind = WorkKind::kNone;
  std::uint32_t generation = 0;  // tells a slot's present use from an earlier one
  std::uint16_t slot = 0;

  friend bool operator==(const WorkId&, const WorkId&) = default;
};

[[nodiscard]] constexpr std::uint64_t pack(const WorkId& id) {
  return std::uint64_t{static_cast<std::uint8_t>(id.kind)} << 56 |
         std::uint64_t{id.generation} << 16 | id.slot;
}

[[nodiscard]] constexpr WorkId unpack_work_id(std::uint64_t packed) {
  return {static_cast<WorkKind>(packed >> 56), static_cast<std::uint32_t>(packed >> 16),
          static_cast<std::uint16_t>(packed)};
}

}  // namespace rdmadiag::probes
