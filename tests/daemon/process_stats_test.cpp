#include "agent/daemon/process_stats.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "agent/core/unique_fd.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::daemon {
namespace {

TEST_CASE("fields are counted from the end of the command, whatever it holds") {
  test::SampleTree tree;
  tree.write("proc/stat", "cpu  1 2 3\nintr 5 6\nbtime 1700000000\n");
  tree.write("proc/self/stat",
             "77 (a) b (c)) S 1 77 77 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 7 0 1200 "
             "104857600 2500 18446744073709551615 1 1 0\n");
  tree.write("proc/self/fd/0", "");
  tree.write("proc/self/fd/1", "");
  tree.write("proc/self/fd/9", "");
  const core::ProcessStats stats = ProcessReader(tree.proc()).read();
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  CHECK(stats.cpu_seconds == 300 / ticks);
  CHECK(stats.start_time_seconds == 1'700'000'000 + 1200 / ticks);
  CHECK(stats.threads == 7u);
  CHECK(stats.virtual_memory_bytes == 104'857'600u);
  CHECK(stats.resident_memory_bytes == 2500u * static_cast<unsigned long>(sysconf(_SC_PAGESIZE)));
  CHECK(stats.open_fds == 2u);
}

TEST_CASE("what cannot be read is absent") {
  const test::SampleTree empty;
  const core::ProcessStats stats = ProcessReader(empty.proc()).read();
  CHECK_FALSE(stats.cpu_seconds);
  CHECK_FALSE(stats.start_time_seconds);
  CHECK_FALSE(stats.open_fds);

  test::SampleTree cut;
  cut.write("proc/self/stat", "77 (a) S 1 77\n");
  CHECK_FALSE(ProcessReader(cut.proc()).read().cpu_seconds);
  CHECK_FALSE(ProcessReader(cut.proc()).read().resident_memory_bytes);
}

TEST_CASE("descriptors of the real process are counted without the one that counts") {
  const ProcessReader reader("/proc");
  const auto before = reader.read().open_fds.value();
  const auto listed = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  CHECK(listed == static_cast<std::ptrdiff_t>(before) + 1);
  const core::UniqueFd one_more(open("/dev/null", O_RDONLY | O_CLOEXEC));
  CHECK(reader.read().open_fds.value() == before + 1);
  CHECK(reader.read().max_fds.value() >= before);
}

}  // namespace
}  // namespace rdmadiag::daemon
