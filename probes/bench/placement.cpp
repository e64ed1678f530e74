#include "probes/bench/placement.h"

#include <sched.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace rdmadiag::probes {
namespace {

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The calling thread, on those of the CPUs that it may use.
core::Status pin(const std::vector<unsigned>& cpus, const std::string& what) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    return core::errno_error(errno, "sched_getaffinity");
  }
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const unsigned cpu : cpus) {
    if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &wanted);
  }
  if (CPU_COUNT(&wanted) == 0) return core::fail(what + " cannot be used by this process");
  if (::sched_setaffinity(0, sizeof(wanted), &wanted) != 0) {
    return core::errno_error(errno, "running on " + what);
  }
  return {};
}

}  // namespace

std::optional<BenchPlacement> parse_placement(const std::string& text) {
  if (text == "auto") return BenchPlacement{};
  if (text == "none") return BenchPlacement{BenchPlacement::Kind::kAnywhere, 0};
  const auto cpu = parse_number(text);
  if (!cpu) return std::nullopt;
  return BenchPlacement{BenchPlacement::Kind::kOne, *cpu};
}

std::vector<unsigned> parse_cpu_list(const std::string& text) {
  constexpr unsigned kMostCpus = 8192;
  std::vector<unsigned> cpus;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
    if (!first || !last || *last >= kMostCpus) return {};
    for (unsigned cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

core::Result<std::string> place_thread(const BenchPlacement& placement, const Device& device) {
  if (placement.kind == BenchPlacement::Kind::kAnywhere) return std::string("not pinned, as asked");
  if (placement.kind == BenchPlacement::Kind::kOne) {
    const std::string name = "CPU " + std::to_string(placement.cpu);
    if (auto pinned = pin({placement.cpu}, name); !pinned) {
      return tl::make_unexpected(pinned.error());
    }
    return name;
  }
  const std::filesystem::path folder =
      std::filesystem::path(device.context()->device->ibdev_path) / "device";
  const std::string node = first_line(folder / "numa_node");
  const std::string list = first_line(folder / "local_cpulist");
  const std::vector<unsigned> cpus = parse_cpu_list(list);
  if (node.empty() || node.front() == '-' || cpus.empty()) {
    return "not pinned: the NUMA node of " + device.name() + " is not known";
  }
  const std::string name = "CPUs " + list + " (NUMA node " + node + ", the NIC's)";
  if (auto pinned = pin(cpus, name); !pinned) {
    return "not pinned: " + pinned.error().message();
  }
  return name;
}

}  // namespace rdmadiag::probes
