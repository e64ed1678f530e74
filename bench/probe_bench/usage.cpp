#include "bench/probe_bench/usage.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace rdmadiag::bench {
namespace {

constexpr std::uint64_t kKibi = 1024;

// The number behind "name:" in a file of such lines; 0 when it is not there.
std::uint64_t value_of(const std::filesystem::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(name + ":", 0) != 0) continue;
    std::istringstream rest(line.substr(name.size() + 1));
    std::uint64_t value = 0;
    rest >> value;
    return value;
  }
  return 0;
}

std::string first_word(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::string word;
  text >> word;
  return word;
}

}  // namespace

Usage Usage::of_this_process() {
  Usage usage;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ThreadUsage& role = usage.threads[first_word(task.path() / "comm")];
    std::uint64_t nanoseconds = 0;
    std::ifstream(task.path() / "schedstat") >> nanoseconds;
    role.cpu_seconds += static_cast<double>(nanoseconds) * 1e-9;
    role.context_switches += value_of(task.path() / "status", "voluntary_ctxt_switches");
  }
  usage.resident_bytes = value_of("/proc/self/status", "VmRSS") * kKibi;
  usage.anonymous_bytes = value_of("/proc/self/status", "RssAnon") * kKibi;
  return usage;
}

}  // namespace rdmadiag::bench
