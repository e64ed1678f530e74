// A thousand rounds take no descriptor and no memory.
#include <malloc.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;

namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

std::size_t allocated_bytes() { return ::mallinfo2().uordblks; }

}  // namespace

TEST_CASE("a thousand rounds gain no descriptor and no memory") {
  HostFixture fixture("mlx5_roce_200g");
  const std::size_t before = open_descriptors();
  host::CollectorParts parts;
  parts.clock = fixture.clock;
  std::unique_ptr<host::Collector> collector = std::make_unique<host::Collector>(
      host::Roots{fixture.tree.sys(), fixture.tree.proc(), fixture.tree.dev()}, fixture.options,
      parts);
  const std::string failing = "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error";
  const auto round = [&](int i) {
    if (i % 50 == 0) fixture.tree.write(failing, i % 100 == 0 ? "N/A (no PMA)\n" : "3\n");
    if (i % 7 == 0) collector->rescan();
    fixture.pass();
    return collector->collect()->devices.size();
  };
  for (int i = 0; i < 200; ++i) REQUIRE(round(i) == 3);
  const std::size_t descriptors = open_descriptors();
  const std::size_t memory = allocated_bytes();
  for (int i = 0; i < 1000; ++i) REQUIRE(round(i) == 3);
  CHECK(open_descriptors() == descriptors);
  // Per-thread caches of the allocator move a little; a leak of one string a round would not.
  CHECK(allocated_bytes() < memory + 16 * 1024);
  collector.reset();
  CHECK(open_descriptors() == before);
}
