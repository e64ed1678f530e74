// What a run of the benchmark may be, and what its figures are.
#include <catch2/catch.hpp>

#include "probes/bench/figures.h"
#include "probes/bench/placement.h"
#include "probes/bench/plan.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

using Sizes = std::vector<std::uint32_t>;

std::string refusal(const BenchPlan& plan, core::Protocol protocol = core::Protocol::kRoce,
                    int mtu = 1024) {
  const auto checked = check_bench_plan(plan, protocol, mtu);
  return checked ? "" : checked.error().message();
}

BenchPlan plan_of(RcOperation operation, BenchTransport transport, std::uint32_t largest = 64) {
  BenchPlan plan;
  plan.operation = operation;
  plan.transport = transport;
  plan.largest = largest;
  return plan;
}

core::SteadyTime at(std::chrono::nanoseconds time) { return core::SteadyTime(time); }

}  // namespace

TEST_CASE("sizes of a sweep") {
  CHECK(parse_bench_sizes("64").value() == Sizes{64});
  CHECK(parse_bench_sizes("2..32").value() == Sizes{2, 4, 8, 16, 32});
  CHECK(parse_bench_sizes("3..20").value() == Sizes{3, 6, 12});
  CHECK(parse_bench_sizes("1M,64,4k,64").value() == Sizes{64, 4096, 1048576});
  CHECK(parse_bench_sizes("2..1M").value().size() == 20);
  CHECK(parse_bench_sizes("64M").value() == Sizes{64U << 20});
  for (const char* bad :
       {"", "0", "x", "64,", "2..", "..2", "-1", "65M", "4294967297", "1.5K", "1KK"}) {
    INFO(bad);
    CHECK_FALSE(parse_bench_sizes(bad));
  }
  CHECK(parse_bench_sizes("64..2").error().message() == "'64..2' ends below where it begins");
  CHECK(bench_size_name(2) == "2");
  CHECK(bench_size_name(4096) == "4K");
  CHECK(bench_size_name(1048576) == "1M");
  CHECK(bench_size_name(1500) == "1500");
}

TEST_CASE("a plan that cannot be done is refused in one sentence") {
  CHECK(refusal(plan_of(RcOperation::kWrite, BenchTransport::kRc)) == "");
  CHECK(refusal(plan_of(RcOperation::kWrite, BenchTransport::kUd)) ==
        "UD has only send, not write");
  CHECK(refusal(plan_of(RcOperation::kRead, BenchTransport::kUc)) ==
        "UC has no read, only send and write");
  CHECK(refusal(plan_of(RcOperation::kSend, BenchTransport::kUd), core::Protocol::kIwarp) ==
        "iWARP has only RC, not UD");
  CHECK(refusal(plan_of(RcOperation::kSend, BenchTransport::kUd, 1024)) == "");
  CHECK(refusal(plan_of(RcOperation::kSend, BenchTransport::kUd, 1025)) ==
        "a message of 1025 bytes does not fit a UD datagram: the path MTU is 1024");
  BenchPlan plan = plan_of(RcOperation::kWrite, BenchTransport::kRc);
  plan.mtu = 4096;
  CHECK(refusal(plan) == "the MTU 4096 is above the port's, which is 1024");
  plan.mtu = 1000;
  CHECK(refusal(plan) == "the MTU is 256, 512, 1024, 2048 or 4096, not 1000");
  plan.mtu = 0;
  plan.depth = 0;
  CHECK(refusal(plan) == "the depth is from 1 to 8192, not 0");
  plan.depth = 1;
  plan.pairs = 64;
  plan.largest = 64U << 20;
  CHECK(refusal(plan) ==
        "64 queue pairs with messages of 64M need 8192 MiB of registered memory, more than 512");
  plan.largest = 0;
  CHECK(refusal(plan) == "the message size is from 1 to 67108864, not 0");
}

TEST_CASE("latency figures are perftest's") {
  std::vector<std::chrono::nanoseconds> trips;
  for (int i = 1002; i >= 1; --i) trips.push_back(i * 2us);
  const LatencyFigures figures = latency_figures(trips, 0.5);
  CHECK(figures.count == 1000);  // the two longest belong to the end of the run
  CHECK(figures.least == Approx(1e-6));
  CHECK(figures.p50 == Approx(501e-6));
  CHECK(figures.typical == figures.p50);
  CHECK(figures.average == Approx(500.5e-6));
  CHECK(figures.p99 == Approx(991e-6));
  CHECK(figures.p999 == Approx(1000e-6));
  CHECK(figures.most == Approx(1000e-6));
  const LatencyFigures one = latency_figures({3us}, 1);
  CHECK(one.count == 1);
  CHECK(one.most == Approx(3e-6));
}

TEST_CASE("bandwidth is from the first post to the last completion, its peak the best stretch") {
  const std::vector<BenchBatch> batches = {
      {.posted = at(0s), .completed = at(1s), .messages = 10},
      {.posted = at(1s), .completed = at(1500ms), .messages = 10},
      {.posted = at(1500ms), .completed = at(4s), .messages = 10}};
  const BandwidthFigures figures = bandwidth_figures(batches, 100);
  CHECK(figures.messages == 30);
  CHECK(figures.bytes == 3000);
  CHECK(figures.seconds == Approx(4));
  CHECK(figures.average == Approx(750));
  CHECK(figures.rate == Approx(7.5));
  CHECK(figures.peak == Approx(2000));
}

TEST_CASE("joining batches keeps their messages and their time") {
  std::vector<BenchBatch> batches;
  for (int i = 0; i < 5; ++i) {
    batches.push_back({.posted = at(i * 1s), .completed = at(i * 1s + 1s), .messages = 2});
  }
  thin_out(batches, 3);
  REQUIRE(batches.size() == 3);
  CHECK(batches[0].messages == 4);
  CHECK(batches[0].completed == at(2s));
  CHECK(batches[2].messages == 2);
  CHECK(bandwidth_figures(batches, 1).average == Approx(2));
}

TEST_CASE("where a thread may be placed") {
  CHECK(parse_placement("auto")->kind == BenchPlacement::Kind::kNearDevice);
  CHECK(parse_placement("none")->kind == BenchPlacement::Kind::kAnywhere);
  CHECK(parse_placement("7") == BenchPlacement{BenchPlacement::Kind::kOne, 7});
  CHECK_FALSE(parse_placement("all"));
  CHECK(parse_cpu_list("0-2,8") == std::vector<unsigned>{0, 1, 2, 8});
  CHECK(parse_cpu_list("").empty());
  CHECK(parse_cpu_list("3-").empty());
  CHECK(parse_cpu_list("0-99999999").empty());
}
