// What the kernel grants a process that registers memory with an RDMA device.
#pragma once

#include <cstdint>
#include <optional>

namespace rdmadiag::core {

struct ProcessLimits {
  std::optional<std::uint64_t> memlock_bytes;  // empty: unlimited
  bool ignores_memlock = false;                // CAP_IPC_LOCK
};

// A probing endpoint registers well below this on each device.
inline constexpr std::uint64_t kMemlockWanted = std::uint64_t{16} * 1024 * 1024;

}  // namespace rdmadiag::core
