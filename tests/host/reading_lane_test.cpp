// Which thread reads what: devices in turn as long as none is slow, beside each other when one is.
#include "agent/host/reading_lane.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "agent/host/device_table.h"
#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kCounter = "/ports/1/counters/port_rcv_errors";
constexpr const char* kDevices[] = {"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3", "mlx5_4"};

std::string device_in(const std::string& path) {
  for (const char* device : kDevices) {
    if (path.find(std::string("/") + device + "/ports") != path.npos) return device;
  }
  return {};
}

// Knows which thread reads which device, and can keep a device waiting until others are through.
class ThreadNoter final : public host::FileReader {
 public:
  using Threads = std::map<std::string, std::set<std::thread::id>>;

  Threads take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(threads_, {});
  }
  // Reads of `device` wait until all of `others` have been listed.
  void hold(std::string device, std::set<std::string> others) {
    held_ = std::move(device);
    awaited_ = std::move(others);
  }

  int open(const std::string& path) override { return real_.open(path); }
  std::ptrdiff_t read_from_start(int descriptor, std::span<char> into) override {
    return real_.read_from_start(descriptor, into);
  }
  void close(int descriptor) override { real_.close(descriptor); }
  int list(const std::string& path, std::vector<host::DirectoryEntry>& entries) override {
    note(device_in(path));
    return real_.list(path, entries);
  }
  std::string resolve(const std::string& path) override { return real_.resolve(path); }

 private:
  void note(const std::string& device) {
    if (device.empty()) return;
    std::unique_lock lock(mutex_);
    threads_[device].insert(std::this_thread::get_id());
    awaited_.erase(device);
    changed_.notify_all();
    if (device == held_) changed_.wait(lock, [this] { return awaited_.empty(); });
  }

  host::SystemFileReader real_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Threads threads_;
  std::string held_;
  std::set<std::string> awaited_;
};

host::DeviceSetup setup_with(const HostFixture& fixture, std::shared_ptr<host::FileReader> files) {
  host::DeviceSetup setup;
  setup.roots = {fixture.tree.sys(), fixture.tree.proc(), fixture.tree.dev()};
  setup.files = std::move(files);
  setup.clock = fixture.clock;
  setup.budget = std::make_shared<host::DescriptorBudget>(1000);
  return setup;
}

core::SteadyTime in(std::chrono::nanoseconds time) { return core::SystemClock().steady() + time; }

// One round in which files are listed anew.
core::HostSnapshot read_round(host::DeviceTable& table, std::chrono::nanoseconds deadline) {
  table.start(std::nullopt, true);
  table.wait(in(deadline));
  core::HostSnapshot host;
  table.report(host);
  return host;
}

std::size_t count_threads(const ThreadNoter::Threads& threads) {
  std::set<std::thread::id> all;
  for (const auto& [device, ids] : threads) all.insert(ids.begin(), ids.end());
  return all.size();
}

bool is_complete(const core::HostSnapshot& host, const std::string& device) {
  return !find_entry(host, device)->stuck &&
         value_of(port_of(host, device).counters, "port_rcv_errors").has_value();
}

}  // namespace

TEST_CASE("one thread reads all devices as long as none is slow") {
  const HostFixture fixture("mlx5_ib_ndr");
  const auto noter = std::make_shared<ThreadNoter>();
  const auto setup = setup_with(fixture, noter);
  host::DeviceTable table(setup, 1h);
  table.apply(host::Discovery(setup).list());
  for (int round = 0; round < 3; ++round) {
    const core::HostSnapshot host = read_round(table, 24h);
    for (const char* device : kDevices) CHECK(is_complete(host, device));
  }
  const auto threads = noter->take();
  CHECK(threads.size() == 5);
  CHECK(count_threads(threads) == 1);
  table.finish(in(1h));
}

TEST_CASE("a slow device is read beside the others and is not stuck") {
  const HostFixture fixture("mlx5_ib_ndr");
  const auto noter = std::make_shared<ThreadNoter>();
  // In turn, these would wait for each other for ever.
  noter->hold("mlx5_1", {"mlx5_2", "mlx5_3", "mlx5_4"});
  const auto setup = setup_with(fixture, noter);
  host::DeviceTable table(setup, 100ms);
  table.apply(host::Discovery(setup).list());
  const core::HostSnapshot host = read_round(table, 1h);
  for (const char* device : kDevices) CHECK(is_complete(host, device));
  CHECK(count_threads(noter->take()) > 1);
  // After some quick reads in a row it is read in turn again.
  do {
    CHECK(read_round(table, 1h).devices.size() == 5);
  } while (count_threads(noter->take()) > 1);
  table.finish(in(1h));
}

TEST_CASE("several devices that hang at once cost only themselves") {
  const std::string hanging[] = {"mlx5_0", "mlx5_1", "mlx5_3"};
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.deadline = 2s;
  for (const std::string& device : hanging) fixture.files->hang_read(device + kCounter);
  const auto collector = fixture.make();
  for (int round = 0; round < 2; ++round) {
    fixture.pass();
    const HostPointer host = collector->collect();
    for (const std::string& device : hanging) CHECK(find_entry(*host, device)->stuck);
    for (const char* device : {"mlx5_2", "mlx5_4"}) CHECK(is_complete(*host, device));
  }
  fixture.files->release();
  bool any_stuck = true;
  while (any_stuck) {
    fixture.pass();
    std::this_thread::yield();
    const HostPointer host = collector->collect();
    any_stuck = false;
    for (const std::string& device : hanging) any_stuck |= find_entry(*host, device)->stuck;
    if (any_stuck) continue;
    for (const char* device : kDevices) CHECK(is_complete(*host, device));
  }
}

TEST_CASE("what a batch has not begun can be called off") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto setup = setup_with(fixture, fixture.files);
  fixture.files->hang_read(std::string("mlx5_1") + kCounter);
  std::vector<host::ReadingJob> jobs;
  for (const char* device : {"mlx5_0", "mlx5_1", "mlx5_2"})
    jobs.push_back({std::make_shared<host::DeviceReader>(device, setup), {}});
  const std::weak_ptr<host::DeviceReader> read = jobs[0].reader;
  const std::weak_ptr<host::DeviceReader> stuck = jobs[1].reader;
  const std::weak_ptr<host::DeviceReader> not_begun = jobs[2].reader;
  const auto batch = std::make_shared<host::ReadingBatch>(std::move(jobs));
  const auto lane = host::make_reading_lane();
  REQUIRE(lane->start(batch));
  fixture.files->wait_for_hang();
  CHECK(host::wait_for_batch(*lane, *batch, in(1h), 1ms) == host::BatchEnd::kHeldUp);
  CHECK(host::wait_for_batch(*lane, *batch, in(0ms), 1h) == host::BatchEnd::kTooLong);
  {
    const auto rest = batch->call_off();
    REQUIRE(rest.size() == 1);
    CHECK(rest[0].reader == not_begun.lock());
  }
  CHECK(not_begun.expired());
  CHECK(read.expired());
  CHECK_FALSE(stuck.expired());
  CHECK(batch->take(0)->read.snapshot->name == "mlx5_0");
  CHECK_FALSE(batch->take(0));  // once
  CHECK_FALSE(batch->take(1));
  fixture.files->release();
  CHECK(host::wait_for_batch(*lane, *batch, in(1h), 1h) == host::BatchEnd::kDone);
  CHECK(batch->take(1)->read.snapshot->name == "mlx5_1");
  CHECK_FALSE(batch->take(2));
}
