#include "agent/host/worker.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>

#include "agent/core/clock.h"
#include "agent/host/device_table.h"
#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using host::Worker;
using namespace std::chrono_literals;

namespace {

core::SteadyTime in(std::chrono::nanoseconds time) { return core::SystemClock().steady() + time; }

// Jobs wait here until the test opens it.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

}  // namespace

TEST_CASE("a worker answers each request once") {
  Worker<int, int> worker([](const int& request) { return request * 2; });
  CHECK_FALSE(worker.busy());
  for (int i = 1; i < 100; ++i) {
    CHECK(worker.start(i));
    CHECK(worker.wait_until(in(1h)) == 2 * i);
    CHECK_FALSE(worker.wait_until(in(0ns)));
  }
}

TEST_CASE("whoever stops waiting gets nothing, and the worker takes no more until it is done") {
  const auto gate = std::make_shared<Gate>();
  Worker<int, int> worker([gate](const int& request) {
    gate->pass();
    return request;
  });
  CHECK(worker.start(1));
  CHECK_FALSE(worker.wait_until(in(1ms)));
  CHECK(worker.busy());
  CHECK_FALSE(worker.start(2));
  gate->open();
  CHECK(worker.wait_until(in(1h)) == 1);
  CHECK(worker.start(3));
  CHECK(worker.wait_until(in(1h)) == 3);
}

TEST_CASE("whoever looks whether a worker is idle leaves the answer where it is") {
  const auto gate = std::make_shared<Gate>();
  Worker<int, int> worker([gate](const int& request) {
    gate->pass();
    return request;
  });
  CHECK(worker.idle_by(in(0ns)));
  CHECK(worker.start(1));
  CHECK_FALSE(worker.idle_by(in(1ms)));
  gate->open();
  CHECK(worker.idle_by(in(1h)));
  CHECK(worker.wait_until(in(0ns)) == 1);
}

TEST_CASE("a worker that is stuck is left behind with all that it uses") {
  const auto gate = std::make_shared<Gate>();
  const auto used = std::make_shared<int>(7);
  const auto done = std::make_shared<Gate>();
  {
    struct Tell {
      std::shared_ptr<Gate> done;
      ~Tell() { done->open(); }
    };
    Worker<int, int> worker([gate, used, tell = std::make_shared<Tell>(done)](const int&) {
      gate->pass();
      return *used;
    });
    CHECK(worker.start(1));
    CHECK_FALSE(worker.wait_until(in(1ms)));
  }
  CHECK(used.use_count() > 1);
  gate->open();
  done->pass();  // the job is destroyed once its thread is through
}

TEST_CASE("a device found stuck before is not waited for again") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.files->hang_read("mlx5_0/ports/1/counters/port_rcv_errors");
  host::DeviceSetup setup;
  setup.roots = {fixture.tree.sys(), fixture.tree.proc(), fixture.tree.dev()};
  setup.files = fixture.files;
  setup.clock = fixture.clock;
  setup.budget = std::make_shared<host::DescriptorBudget>(1000);
  host::DeviceTable table(setup);
  table.apply(host::Discovery(setup).list());
  table.start(std::nullopt, true);
  fixture.files->wait_for_hang();
  table.wait(in(100ms));

  table.start(std::nullopt, false);
  table.wait(in(1h));  // for the others; hangs here if it waited for the stuck one
  core::HostSnapshot host;
  table.report(host);
  CHECK(find_entry(host, "mlx5_0")->stuck);
  CHECK(errors_of(*find_entry(host, "mlx5_0"), core::Source::kSysfsCounters,
                  core::IssueReason::kTimeout) == 2);
  fixture.files->release();
  table.finish(in(1h));
}
