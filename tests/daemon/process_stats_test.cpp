#include "agent/daemon/process_stats.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "agent/core/unique_fd.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::daemon {
namespace {

TEST_CASE("what procfs says is taken from its place, whatever the command's name holds") {
  test::SampleTree tree;
  tree.write("proc/stat", "cpu  1 2 3\nintr 5 6\nbtime 1700000000\n");
  tree.write("proc/self/stat",
             "77 (a) b (c)) S 1 77 77 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 7 0 1200 "
             "104857600 2500 18446744073709551615 1 1 0\n");
  tree.write("proc/self/statm", "25600 2500 1200 300 0 700 0\n");
  for (const char* thread : {"77", "78", "79"})
    tree.write(std::string("proc/self/task/") + thread + "/stat", "");
  tree.write("proc/self/fd/0", "");
  tree.write("proc/self/fd/1", "");
  tree.write("proc/self/fd/9", "");
  const core::ProcessStats stats = ProcessReader(tree.proc()).read();
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  CHECK(stats.start_time_seconds == 1'700'000'000 + 1200 / ticks);
  CHECK(stats.threads == 3u);
  CHECK(stats.virtual_memory_bytes == 104'857'600u);
  CHECK(stats.resident_memory_bytes == 2500u * static_cast<unsigned long>(sysconf(_SC_PAGESIZE)));
  CHECK(stats.open_fds == 2u);
}

TEST_CASE("what cannot be read is absent") {
  const test::SampleTree empty;
  const core::ProcessStats stats = ProcessReader(empty.proc()).read();
  CHECK_FALSE(stats.start_time_seconds);
  CHECK_FALSE(stats.threads);
  CHECK_FALSE(stats.virtual_memory_bytes);
  CHECK_FALSE(stats.open_fds);

  test::SampleTree cut;
  cut.write("proc/stat", "cpu  1 2 3\nbtime 1700000000\n");
  cut.write("proc/self/stat", "77 (a) S 1 77\n");
  cut.write("proc/self/statm", "25600");
  const core::ProcessStats some = ProcessReader(cut.proc()).read();
  CHECK_FALSE(some.start_time_seconds);
  CHECK(some.virtual_memory_bytes);
  CHECK_FALSE(some.resident_memory_bytes);
}

TEST_CASE("the real process uses time, memory and threads") {
  const ProcessReader reader("/proc");
  std::vector<std::thread> more;
  std::latch done(1);
  const auto start_one = [&] { more.emplace_back([&] { done.wait(); }); };
  start_one();  // a sanitizer may have a thread of its own from here on
  const core::ProcessStats before = reader.read();
  for (int i = 0; i < 5; ++i) start_one();
  volatile std::uint64_t work = 0;
  while (reader.read().cpu_seconds.value() < before.cpu_seconds.value() + 0.001) work = work + 1;
  const core::ProcessStats after = reader.read();
  CHECK(after.threads.value() == before.threads.value() + 5);
  done.count_down();
  for (std::thread& thread : more) thread.join();
  CHECK(after.start_time_seconds == before.start_time_seconds);
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  CHECK(after.start_time_seconds.value() < now.count() + 1);
  CHECK(after.start_time_seconds.value() > now.count() - 3600);
  CHECK(after.resident_memory_bytes.value() > 1'000'000u);
  CHECK(after.virtual_memory_bytes.value() > after.resident_memory_bytes.value());
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
