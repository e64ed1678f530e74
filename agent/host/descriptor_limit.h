// How many descriptors this process may have open. The usual soft limit of 1024 is there for
// programs that use select(); counters of 16 devices take more.
#pragma once

#include <cstddef>

namespace rdmadiag::host {

// The soft limit.
[[nodiscard]] std::size_t descriptor_limit();

// Raises the soft limit towards the hard one, for main to call once.
void raise_descriptor_limit();

}  // namespace rdmadiag::host
