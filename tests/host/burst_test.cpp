// The sampler over files a test changes, a clock that stands still and CPU time a test sets.
#include "agent/host/burst.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/fake_ethtool.h"
#include "tests/support/faulting_reader.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using namespace std::chrono_literals;

namespace {

constexpr auto kRx = static_cast<std::size_t>(core::BurstCounter::kRxBytes);
constexpr auto kRxPause = static_cast<std::size_t>(core::BurstCounter::kRxPause);
constexpr auto kTxPause = static_cast<std::size_t>(core::BurstCounter::kTxPause);

struct Setup {
  test::SampleTree tree;
  std::shared_ptr<test::ManualClock> clock = std::make_shared<test::ManualClock>();
  std::shared_ptr<test::FaultingReader> files = std::make_shared<test::FaultingReader>();
  std::shared_ptr<test::FakeEthtoolIoctl> ioctl = std::make_shared<test::FakeEthtoolIoctl>();
  std::chrono::nanoseconds cpu{0};       // spent so far
  std::chrono::nanoseconds per_look{0};  // spent between two questions for it
  host::BurstParts parts;
  std::shared_ptr<host::BurstLook::Kept> kept;

  Setup() {
    parts.clock = clock;
    parts.files = files;
    parts.ioctl = ioctl;
    parts.cpu_time = [this] { return cpu += per_look; };
    kept = host::BurstLook::make_kept(parts);
    rx(1000);
  }
  void rx(std::uint64_t value) { tree.write("sys/rx", std::to_string(value) + "\n"); }
  [[nodiscard]] host::BurstPort port() const {
    host::BurstPort port;
    port.device = "mlx5_0";
    port.port = 1;
    port.files = {{core::BurstCounter::kRxBytes, (tree.sys() / "rx").string(), 4}};
    return port;
  }
  [[nodiscard]] host::BurstPort with_pauses() const {
    host::BurstPort made = port();
    made.pause_netdev = "eth2";
    made.pause_driver = "mlx5_core";
    return made;
  }
  [[nodiscard]] host::BurstLook look_at(host::BurstPort port) const {
    return {{std::move(port)}, parts, kept};
  }
  void step(host::BurstLook& look) {
    clock->advance(20ms);
    look.look();
  }
  [[nodiscard]] core::BurstDevice report() const {
    return host::BurstLook::report("mlx5_0", *kept, clock->steady());
  }
};

}  // namespace

TEST_CASE("a burst between two reports is seen as a peak in bytes per second") {
  Setup s;
  auto look = s.look_at(s.port());
  s.step(look);
  s.rx(1500);
  s.step(look);
  s.step(look);
  const auto report = s.report();
  CHECK(report.device == "mlx5_0");
  CHECK(report.samples == 3);
  CHECK(report.dropped == 0);
  REQUIRE(report.ports.size() == 1);
  CHECK(report.ports[0].port == 1);
  CHECK(report.ports[0].peak_per_second[kRx] == Approx(500 * 4 / 0.02));
  CHECK_FALSE(report.ports[0].peak_per_second[kRxPause]);
}

TEST_CASE("a file that fails costs its samples only, and is opened again") {
  Setup s;
  auto look = s.look_at(s.port());
  s.step(look);
  s.files->fail_read("sys/rx", EIO);
  s.step(look);
  s.files->fail_read("sys/rx", 0);
  s.rx(1500);
  s.step(look);
  CHECK(s.report().samples == 3);
  CHECK(s.report().ports[0].peak_per_second[kRx] == Approx(500 * 4 / 0.04));
}

TEST_CASE("pauses come from the netdev's statistics, priorities added up once") {
  Setup s;
  auto& statistics = s.ioctl->netdevs["eth2"].statistics;
  statistics = {{"rx_prio3_pause", 7}, {"rx_prio4_pause", 1}, {"tx_prio3_pause", 2}};
  auto look = s.look_at(s.with_pauses());
  s.step(look);
  statistics[0].second = 9;
  statistics[1].second = 2;
  s.step(look);
  const auto port = s.report().ports.at(0);
  CHECK(port.peak_per_second[kRxPause] == Approx(3 / 0.02));
  CHECK(port.longest_pause_seconds[kRxPause] == Approx(0.02));
  CHECK(port.longest_pause_seconds[kTxPause] == Approx(0));
  CHECK(port.peak_per_second[kRx]);
}

TEST_CASE("a sum over all priorities is not added to the priorities") {
  Setup s;
  auto& netdev = s.ioctl->netdevs["eth2"];
  netdev.statistics = {{"rx_pfc_ena_frames_pri3", 10}, {"rx_pfc_frames", 10}};
  auto port = s.with_pauses();
  port.pause_driver = "bnxt_en";
  auto look = s.look_at(port);
  s.step(look);
  netdev.statistics = {{"rx_pfc_ena_frames_pri3", 14}, {"rx_pfc_frames", 14}};
  s.step(look);
  CHECK(s.report().ports.at(0).peak_per_second[kRxPause] == Approx(4 / 0.02));
}

TEST_CASE("CPU is bounded: what was spent has to be earned before the next look") {
  Setup s;
  s.per_look = 1ms;  // 5 % of the time
  auto look = s.look_at(s.port());
  for (int i = 0; i < 500; ++i) s.step(look);
  const auto report = s.report();
  const double elapsed = 500 * 0.02;
  CHECK(report.cpu_seconds > 0);
  CHECK(report.cpu_seconds <= elapsed * host::BurstLook::kCpuShare * 1.1);
  CHECK(report.samples == 100);
  CHECK(report.samples + report.dropped >= 499);  // what was left out is told
}

TEST_CASE("pauses that are dear do not slow down the rest") {
  Setup s;
  s.ioctl->netdevs["eth2"].statistics = {{"rx_prio3_pause", 7}};
  int asked = 0;
  // Only the last of the questions of a look with pauses has had something to pay for.
  s.parts.cpu_time = [&] { return s.cpu = 10ms * s.ioctl->value_calls + 1ns * ++asked; };
  auto look = s.look_at(s.with_pauses());
  for (int i = 0; i < 500; ++i) s.step(look);
  CHECK(s.report().samples == 500);
  CHECK(s.ioctl->value_calls <= 11);  // 10 ms each of 1 % of 10 s
  CHECK(s.ioctl->value_calls >= 9);
}

TEST_CASE("a slow device drops samples, and they are counted") {
  Setup s;
  auto look = s.look_at(s.port());
  s.step(look);
  s.clock->advance(180ms);  // eight looks were due in between
  CHECK(s.report().dropped == 8);
  s.step(look);
  CHECK(s.report().dropped == 9);
  s.step(look);
  CHECK(s.report().dropped == 9);
}

TEST_CASE("a device that hangs delays no report, and no other device") {
  Setup s;
  s.tree.write("sys/other", "1\n");
  s.files->hang_read("sys/rx");
  s.parts.period = 1ms;
  s.parts.cpu_time = [] { return std::chrono::nanoseconds(0); };
  {
    host::BurstSampler sampler(s.parts);
    auto other = s.port();
    other.device = "mlx5_1";
    other.files[0].path = (s.tree.sys() / "other").string();
    sampler.set_ports({s.port(), other});
    s.files->wait_for_hang();
    for (int i = 0; i < 2000 && sampler.report()[1].samples < 3; ++i)
      std::this_thread::sleep_for(5ms);
    const auto reports = sampler.report();
    REQUIRE(reports.size() == 2);
    CHECK(reports[0].samples == 0);
    CHECK(reports[1].samples >= 3);
    sampler.set_ports({other});
    CHECK(sampler.report().size() == 1);
  }
  s.files->release();
}

TEST_CASE("totals outlive a change of what is read") {
  Setup s;
  s.parts.period = 1ms;
  s.parts.cpu_time = [] { return std::chrono::nanoseconds(0); };
  host::BurstSampler sampler(s.parts);
  const auto samples = [&] { return sampler.report().at(0).samples; };
  sampler.set_ports({s.port()});
  for (int i = 0; i < 2000 && samples() < 3; ++i) std::this_thread::sleep_for(5ms);
  const auto before = samples();
  CHECK(before >= 3);
  auto faster = s.port();
  faster.line_rate = 1e9;
  sampler.set_ports({faster});
  CHECK(samples() >= before);
  sampler.set_ports({});
  CHECK(sampler.report().empty());
}

TEST_CASE("this thread's CPU time moves forward") {
  const auto before = host::thread_cpu_time();
  CHECK(before.count() >= 0);
  CHECK(host::thread_cpu_time() >= before);
}
