// What a process has used, by its threads' roles: the first word of their names.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace rdmadiag::bench {

struct ThreadUsage {
  double cpu_seconds = 0;              // by the scheduler's nanosecond clock
  std::uint64_t context_switches = 0;  // of its own will: it slept
};

struct Usage {
  std::map<std::string, ThreadUsage> threads;
  std::uint64_t resident_bytes = 0;
  std::uint64_t anonymous_bytes = 0;

  [[nodiscard]] static Usage of_this_process();
};

}  // namespace rdmadiag::bench
