// `bench`: how a run is printed, stored and judged.
#include <catch2/catch.hpp>

#include "agent/cli/bench_compare.h"
#include "agent/cli/bench_html.h"
#include "agent/cli/bench_json.h"
#include "agent/cli/bench_plot.h"
#include "agent/cli/bench_text.h"
#include "agent/cli/world.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/golden.h"

using namespace rdmadiag;
using cli::BenchRow;
using cli::BenchRun;

namespace {

constexpr exporters::TerminalStyle kWide{.width = 100, .colour = false, .utf8 = true};
constexpr exporters::TerminalStyle kNarrow{.width = 40, .colour = false, .utf8 = false};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

BenchRow row_of(std::uint32_t size, double micros, double gigabits) {
  BenchRow row{.size = size};
  row.latency = probes::LatencyFigures{.count = 1000,
                                       .least = micros * 0.9e-6,
                                       .typical = micros * 1e-6,
                                       .average = micros * 1.1e-6,
                                       .p50 = micros * 1e-6,
                                       .p99 = micros * 2e-6,
                                       .p999 = micros * 3e-6,
                                       .most = micros * 4e-6};
  const double bytes = gigabits * 1e9 / 8;
  row.bandwidth = probes::BandwidthFigures{.messages = 5000,
                                           .bytes = 5000ULL * size,
                                           .seconds = 5000.0 * size / bytes,
                                           .average = bytes,
                                           .peak = bytes * 1.05,
                                           .rate = bytes / size};
  return row;
}

BenchRun example() {
  BenchRun run;
  run.peer = "node2";
  run.peer_device = "mlx5_0";
  run.peer_placement = "CPUs 0-15 (NUMA node 0, the NIC's)";
  run.device = "mlx5_1";
  run.protocol = "roce";
  run.placement = "not pinned: the NUMA node of mlx5_1 is not known";
  run.mtu_bytes = 4096;
  run.inline_bytes = 220;
  run.line_rate = 100e9;
  run.plan.largest = 65536;
  run.rows = {row_of(2, 1.25, 0.08), row_of(4096, 2.5, 93), row_of(65536, 9, 97.5)};
  run.rows[2].received_ratio = 0.5;
  run.rows[2].peer_bandwidth = run.rows[2].bandwidth;
  run.registration = {};
  return run;
}

}  // namespace

TEST_CASE("a run in every form") {
  BenchRun run = example();
  CHECK(test::golden_difference("cli/bench.txt", cli::bench_heading(run, kWide) + "\n" +
                                                     cli::bench_tables(run, kWide) +
                                                     cli::bench_curves(run, kWide)) == "");
  run.registration = {{4096, *run.rows[0].latency, *run.rows[1].latency}};
  CHECK(test::golden_difference("cli/bench.json", cli::bench_json(run)) == "");
  run.registration.clear();
  CHECK(test::golden_difference("cli/bench.csv", cli::bench_csv(run)) == "");
}

TEST_CASE("a narrow terminal without UTF-8 or colour shows everything") {
  const BenchRun run = example();
  const std::string text = cli::bench_heading(run, kNarrow) + cli::bench_tables(run, kNarrow) +
                           cli::bench_curves(run, kNarrow);
  CHECK(holds(text, "97.50"));
  CHECK(holds(text, "knee"));
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    INFO(text.substr(begin, end - begin));
    CHECK(end - begin <= 40);
    begin = end + 1;
  }
  for (const char c : text) CHECK(static_cast<unsigned char>(c) < 0x7f);
}

TEST_CASE("what a peer calls itself cannot steer the terminal or the page") {
  BenchRun run = example();
  run.peer_device = "\x1b[2J<script>";
  CHECK_FALSE(holds(cli::bench_heading(run, kWide), "\x1b"));
  const std::string page = cli::bench_page(run, {});
  CHECK_FALSE(holds(page, "\x1b"));
  CHECK_FALSE(holds(page, "<script"));
}

TEST_CASE("the page has both plots and fetches nothing") {
  const std::string page = cli::bench_page(example(), {});
  CHECK(holds(page, "Latency over message size"));
  CHECK(holds(page, "Bandwidth over message size"));
  CHECK(holds(page, "line rate"));
  CHECK(holds(page, "knee"));
  CHECK(holds(page, "<polyline"));
  for (const char* fetched : {"src=", "href=", "url(", "@import", "http"}) {
    INFO(fetched);
    CHECK_FALSE(holds(page, fetched));
  }
  BenchRun one = example();
  one.rows.resize(1);
  CHECK_FALSE(holds(cli::bench_page(one, {}), "<svg"));
}

TEST_CASE("the knee is where more size brings little more") {
  CHECK(cli::bench_knee(example()) == 4096U);
  BenchRun few = example();
  few.rows.resize(2);
  CHECK_FALSE(cli::bench_knee(few));
}

TEST_CASE("a run is judged by a stored one") {
  const auto stored = cli::read_bench_json(cli::bench_json(example()));
  REQUIRE(stored);
  CHECK(stored->rows.size() == 3);
  CHECK(stored->rows[1].latency == example().rows[1].latency);
  CHECK(stored->rows[1].bandwidth == example().rows[1].bandwidth);
  CHECK(cli::judge_bench(example(), *stored, 0.1)->worst() == 0);

  BenchRun slower = example();
  slower.rows[1].latency->p50 *= 1.2;
  auto judgement = cli::judge_bench(slower, *stored, 0.1);
  CHECK(judgement->worst() == 1);
  CHECK(holds(cli::judgement_table(*judgement, kWide), "worse"));
  slower.rows[2].bandwidth->average *= 0.7;
  CHECK(cli::judge_bench(slower, *stored, 0.1)->worst() == 2);
  CHECK(cli::judge_bench(slower, *stored, 0.4)->worst() == 0);

  BenchRun other = example();
  other.plan.operation = probes::RcOperation::kSend;
  CHECK_FALSE(cli::judge_bench(other, *stored, 0.1));
  other = example();
  other.rows = {row_of(8, 1, 1)};
  CHECK_FALSE(cli::judge_bench(other, *stored, 0.1));
  CHECK_FALSE(cli::read_bench_json("{}"));
  CHECK_FALSE(cli::read_bench_json("nonsense"));
}

TEST_CASE("wrong wishes are usage errors in one sentence") {
  test::CliFixture cli("mlx5_roce_200g");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{}, "PEER is missing"},
      {{"n2", "--op", "atomic"}, "--op"},
      {{"n2", "--op", "read", "--transport", "ud"}, "UD has only send, not read"},
      {{"n2", "--op", "read", "--transport", "uc"}, "UC has no read"},
      {{"n2", "--sizes", "64..2"}, "--sizes: '64..2' ends below where it begins"},
      {{"n2", "--sizes", "0"}, "--sizes: '0' is no size"},
      {{"n2", "--mtu", "1500"}, "the MTU is 256"},
      {{"n2", "--qps", "0"}, "--qps"},
      {{"n2", "--cpu", "all"}, "--cpu is auto, none or a number"},
      {{"n2", "--duration", "0s"}, "--duration"},
  };
  for (const auto& [arguments, expected] : wrong) {
    std::vector<std::string> line = {"bench"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    const auto result = cli.run(line);
    INFO(expected << " / " << result.err);
    CHECK(result.code == cli::kExitUsage);
    CHECK(result.out.empty());
    CHECK(holds(result.err, expected));
  }
}

TEST_CASE("a run that cannot begin says why and leaves no output") {
  test::CliFixture cli("mlx5_roce_200g");
  auto result = cli.run({"bench", "127.0.0.1:1", "--device", "nosuch0"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(holds(result.err, "there is no RDMA device nosuch0"));
  result = cli.run({"bench", "127.0.0.1:1", "--compare", "/nonexistent/run.json"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(holds(result.err, "/nonexistent/run.json"));
  test::CliFixture none("no_devices");
  result = none.run({"bench", "n2"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(result.out.empty());
  CHECK(holds(result.err, "no active RDMA port here"));
}
