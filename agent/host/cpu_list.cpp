#include "agent/host/cpu_list.h"

#include <algorithm>

#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {

std::optional<CpuSet> parse_cpu_list(std::string_view text) {
  CpuSet cpus;
  text = trim(text);
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto dash = part.find('-');
    const auto first = parse_counter(part.substr(0, dash));
    const auto last = dash == part.npos ? first : parse_counter(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMaxCpus) return std::nullopt;
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.set(cpu);
  }
  return cpus;
}

}  // namespace rdmadiag::host
