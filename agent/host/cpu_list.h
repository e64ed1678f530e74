// The kernel's lists of CPUs: "0-3,8,10-11". Pure.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace rdmadiag::host {

inline constexpr std::size_t kMaxCpus = 8192;  // what the largest kernels are built for
using CpuSet = std::bitset<kMaxCpus>;

// Empty list: no CPU. Nothing for anything that is no such list.
[[nodiscard]] std::optional<CpuSet> parse_cpu_list(std::string_view text);

}  // namespace rdmadiag::host
