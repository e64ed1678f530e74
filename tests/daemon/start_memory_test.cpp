#include "agent/daemon/start_memory.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

namespace rdmadiag::daemon {
namespace {

// Of this process, in kB: "RssFile:     12345 kB".
long resident_file_pages() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stol(line.substr(line.find(':') + 1));
  }
  return -1;
}

TEST_CASE("code and constants are unmapped, and there again when they are needed") {
  const long before = resident_file_pages();
  REQUIRE(before > 0);
  give_back_start_memory();
  CHECK(resident_file_pages() < before / 4 * 3);
}

}  // namespace
}  // namespace rdmadiag::daemon
