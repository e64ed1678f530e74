// One bad file costs one value; a device that hangs costs that device.
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <thread>

#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using core::IssueReason;
using core::Source;
using namespace std::chrono_literals;

namespace {

constexpr const char* kRate = "mlx5_0/ports/1/rate";
constexpr const char* kErrors = "mlx5_0/ports/1/counters/port_rcv_errors";

std::size_t total_counters(const core::HostSnapshot& host) {
  std::size_t count = 0;
  for (const auto& entry : host.devices) {
    if (!entry.snapshot) continue;
    for (const auto& port : entry.snapshot->ports) count += port.counters.size();
  }
  return count;
}

}  // namespace

TEST_CASE("each kind of failing read costs its own value and is counted by its reason") {
  const auto [error_number, reason] =
      GENERATE(table<int, IssueReason>({{EINVAL, IssueReason::kEinval},
                                        {EIO, IssueReason::kEio},
                                        {ENODEV, IssueReason::kEnodev},
                                        {EACCES, IssueReason::kEperm},
                                        {EOPNOTSUPP, IssueReason::kEopnotsupp},
                                        {ENOENT, IssueReason::kEnoent},
                                        {ETIMEDOUT, IssueReason::kTimeout},
                                        {EAGAIN, IssueReason::kOther}}));
  HostFixture fixture("mlx5_ib_ndr");
  const std::size_t whole = total_counters(*fixture.make()->collect());
  SECTION("on read") { fixture.files->fail_read(kErrors, error_number); }
  SECTION("on open") { fixture.files->fail_open(kErrors, error_number); }
  const HostPointer host = fixture.make()->collect();
  CHECK(total_counters(*host) == whole - 1);
  const auto* issue = find_issue(device_of(*host, "mlx5_0").issues, "/port_rcv_errors");
  REQUIRE(issue != nullptr);
  CHECK(issue->reason == reason);
  CHECK(issue->error_number == error_number);
  CHECK_FALSE(issue->backing_off);
  CHECK(errors_of(*find_entry(*host, "mlx5_0"), Source::kSysfsCounters, reason) == 1);
  CHECK(find_status(find_entry(*host, "mlx5_0")->sources, Source::kSysfsCounters)->success);
}

TEST_CASE("contents that are no number cost their value and show what they held") {
  const auto [content, detail] = GENERATE(table<std::string, std::string>({
      {"N/A (no PMA)\n", "N/A (no PMA)\\n"},
      {"", ""},
      {"-1\n", "-1\\n"},
      {"0x10\n", "0x10\\n"},
      {"18446744073709551616\n", "18446744073709551616\\n"},
      {"\xff\xfe", "\\xff\\xfe"},
      {std::string(5000, '1'), std::string(40, '1') + "..."},
      {"7" + std::string(5000, '\n'), "7" +
                                          [] {
                                            std::string escaped;
                                            for (int i = 0; i < 39; ++i) escaped += "\\n";
                                            return escaped;
                                          }() +
                                          "..."},
  }));
  HostFixture fixture("mlx5_ib_ndr");
  const std::size_t whole = total_counters(*fixture.make()->collect());
  fixture.tree.write(std::string("sys/class/infiniband/") + kErrors, content);
  const HostPointer host = fixture.make()->collect();
  CHECK(total_counters(*host) == whole - 1);
  const auto* issue = find_issue(device_of(*host, "mlx5_0").issues, "/port_rcv_errors");
  REQUIRE(issue != nullptr);
  CHECK(issue->reason == IssueReason::kParse);
  CHECK(issue->error_number == 0);
  CHECK(issue->detail == detail);
  CHECK(errors_of(*find_entry(*host, "mlx5_0"), Source::kSysfsCounters, IssueReason::kParse) == 1);
}

TEST_CASE("a rate that cannot be read leaves the port's state") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.files->fail_read(kRate, EINVAL);
  const HostPointer host = fixture.make()->collect();
  const auto& port = port_of(*host, "mlx5_0");
  CHECK_FALSE(port.rate);
  CHECK(port.is_up());
  CHECK(find_issue(device_of(*host, "mlx5_0").issues, kRate)->reason == IssueReason::kEinval);
}

TEST_CASE("a source of which nothing can be read is not a success") {
  HostFixture fixture("mlx5_ib_ndr");
  SECTION("every file fails") {
    for (const SampleFile& file : sample_files("mlx5_ib_ndr")) {
      if (file.path.find("mlx5_0/ports/1/counters/") != file.path.npos) {
        fixture.files->fail_read(file.path, EINVAL);
      }
    }
  }
  SECTION("the directory cannot be listed") {
    fixture.files->fail_list("mlx5_0/ports/1/counters", EACCES);
  }
  const HostPointer host = fixture.make()->collect();
  CHECK_FALSE(find_status(find_entry(*host, "mlx5_0")->sources, Source::kSysfsCounters)->success);
  CHECK(find_status(find_entry(*host, "mlx5_0")->sources, Source::kSysfsHwCounters)->success);
  CHECK(find_status(find_entry(*host, "mlx5_1")->sources, Source::kSysfsCounters)->success);
}

TEST_CASE("a file that keeps failing is tried ever more rarely, and comes back") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.include = {"mlx5_0"};
  fixture.files->fail_read(kErrors, EIO);
  const auto collector = fixture.make();
  HostPointer host;
  for (int i = 0; i < 3; ++i) {
    host = collector->collect();
    CHECK_FALSE(find_issue(device_of(*host, "mlx5_0").issues, "/port_rcv_errors")->backing_off);
    fixture.pass();
  }
  CHECK(fixture.files->reads_of(kErrors) == 3);
  host = collector->collect();
  const auto* issue = find_issue(device_of(*host, "mlx5_0").issues, "/port_rcv_errors");
  REQUIRE(issue != nullptr);
  CHECK(issue->backing_off);
  CHECK(issue->reason == IssueReason::kEio);
  CHECK(fixture.files->reads_of(kErrors) == 3);
  CHECK(errors_of(*find_entry(*host, "mlx5_0"), Source::kSysfsCounters, IssueReason::kEio) == 3);

  for (int i = 0; i < 360; ++i) {
    fixture.pass(10s);
    host = collector->collect();
  }
  CHECK(fixture.files->reads_of(kErrors) < 20);  // an hour

  fixture.files->fail_read(kErrors, 0);
  fixture.pass(11min);
  host = collector->collect();
  CHECK(value_of(port_of(*host, "mlx5_0").counters, "port_rcv_errors"));
  CHECK(find_issue(device_of(*host, "mlx5_0").issues, "/port_rcv_errors") == nullptr);
}

TEST_CASE("a descriptor that says the device has gone is opened again at once") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  CHECK(collector->collect()->devices.size() == 5);
  const std::size_t lists = fixture.files->lists();
  fixture.files->fail_read(kErrors, ENODEV);
  fixture.pass();
  const HostPointer host = collector->collect();
  CHECK(fixture.files->lists() > lists);  // devices are listed anew
  CHECK(find_entry(*host, "mlx5_0")->present);
  CHECK(find_issue(device_of(*host, "mlx5_0").issues, "/port_rcv_errors")->error_number == ENODEV);
  // What came back may have other files: they are listed anew, though no listing is due.
  fixture.files->fail_read(kErrors, 0);
  fixture.tree.write("sys/class/infiniband/mlx5_0/ports/1/counters/of_new_driver", "1\n");
  fixture.pass();
  const HostPointer back = collector->collect();
  CHECK(value_of(port_of(*back, "mlx5_0").counters, "port_rcv_errors"));
  CHECK(value_of(port_of(*back, "mlx5_0").counters, "of_new_driver") == 1U);
}

TEST_CASE("a device whose read never returns is marked stuck and the others are complete") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.deadline = 2s;
  fixture.files->hang_read(kErrors);
  const auto collector = fixture.make();
  HostPointer host = collector->collect();
  const auto* stuck = find_entry(*host, "mlx5_0");
  REQUIRE(stuck != nullptr);
  CHECK(stuck->stuck);
  CHECK(stuck->present);
  CHECK(stuck->snapshot == nullptr);
  CHECK_FALSE(stuck->age);
  CHECK_FALSE(find_status(stuck->sources, Source::kSysfsCounters)->success);
  CHECK(errors_of(*stuck, Source::kSysfsCounters, IssueReason::kTimeout) == 1);
  for (const char* other : {"mlx5_1", "mlx5_2", "mlx5_3", "mlx5_4"}) {
    CHECK(port_of(*host, other).counters.size() > 20);
  }

  fixture.files->release();
  do {
    fixture.pass();
    std::this_thread::yield();
    host = collector->collect();
  } while (find_entry(*host, "mlx5_0")->stuck);
  CHECK(value_of(port_of(*host, "mlx5_0").counters, "port_rcv_errors"));
  CHECK(find_entry(*host, "mlx5_0")->age);
}

TEST_CASE("other options beside a stuck device cost neither a wait nor the files of the others") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.deadline = 2s;
  const auto collector = fixture.make();
  CHECK(collector->collect()->devices.size() == 5);
  const std::size_t usual = fixture.files->open_files();
  fixture.files->hang_read(kErrors);
  fixture.pass();
  CHECK(find_entry(*collector->collect(), "mlx5_0")->stuck);
  fixture.options.exclude = {"mlx5_0"};
  for (int i = 0; i < 3; ++i) {
    collector->reconfigure(fixture.options);
    const core::SteadyTime asked = core::SystemClock().steady();
    const HostPointer host = collector->collect();
    CHECK(core::SystemClock().steady() - asked < fixture.options.deadline);
    CHECK(host->devices.size() == 4);
    CHECK(port_of(*host, "mlx5_4").counters.size() > 20);
    CHECK(fixture.files->open_files() <= usual);
  }
  fixture.files->release();
}

TEST_CASE("what a stuck device keeps open counts for those that come after it") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.deadline = 100ms;
  fixture.options.max_kept_files = 400;
  fixture.files->hang_read(kErrors);
  const auto collector = fixture.make();
  for (int i = 0; i < 20; ++i) {
    collector->reconfigure(fixture.options);
    CHECK(find_entry(*collector->collect(), "mlx5_0")->stuck);
  }
  // Each round has one file at which it is stuck.
  CHECK(fixture.files->open_files() <= fixture.options.max_kept_files + 20);
  fixture.files->release();
}

TEST_CASE("a new device of the name of a stuck one does not wait for it, nor does the end") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.include = {"mlx5_0"};
  fixture.options.deadline = 2s;
  fixture.files->hang_read(kErrors);
  auto collector = fixture.make();
  CHECK(find_entry(*collector->collect(), "mlx5_0")->stuck);
  fixture.tree.remove("sys/class/infiniband/mlx5_0");
  if (GENERATE(true, false)) {  // whether anybody looked in between
    collector->rescan();
    CHECK_FALSE(find_entry(*collector->collect(), "mlx5_0")->present);
  }
  fixture.tree.write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  fixture.tree.write("sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
  collector->rescan();
  const HostPointer host = collector->collect();
  CHECK_FALSE(find_entry(*host, "mlx5_0")->stuck);
  CHECK(port_of(*host, "mlx5_0").is_active());
  collector.reset();
  fixture.files->release();
}

TEST_CASE("a listing of devices that fails says nothing about what is gone") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  CHECK(collector->collect()->devices.size() == 5);
  fixture.files->fail_list("class/infiniband", EIO);
  fixture.tree.remove("sys/class/infiniband/mlx5_4");
  collector->rescan();
  HostPointer host = collector->collect();
  CHECK(host->devices.size() == 5);
  CHECK(find_entry(*host, "mlx5_4")->present);
  CHECK(find_entry(*host, "mlx5_0")->snapshot != nullptr);
  CHECK(find_issue(host->issues, "class/infiniband")->reason == IssueReason::kEio);
  CHECK_FALSE(find_status(host->sources, Source::kSysfsPort)->success);
  fixture.files->fail_list("class/infiniband", 0);
  collector->rescan();
  host = collector->collect();
  CHECK_FALSE(find_entry(*host, "mlx5_4")->present);
  CHECK(host->issues.empty());
}
