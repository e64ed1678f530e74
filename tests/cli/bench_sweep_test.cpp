// `bench` against a peer in this process: over real HTTP, and the fake libibverbs.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/core/gid.h"
#include "exporters/http_server.h"
#include "probes/bench/client.h"
#include "probes/bench/service.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/fake_verbs.h"

using namespace rdmadiag;
using namespace std::chrono_literals;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

exporters::HttpResponse to_http(const probes::BenchResponse& answer) {
  return exporters::text_response(answer.status, answer.body);
}

struct BenchFixture : test::CliFixture {
  BenchFixture() : CliFixture("mlx5_roce_200g") {
    auto& fake = test::FakeVerbs::instance();
    fake.reset();
    fake.expect_remote_access();
    fake.add_device("mlx5_0", core::parse_gid("::ffff:10.0.0.1").value());
    fake.add_device("peer0", core::parse_gid("::ffff:10.0.0.2").value());
    during_wait = [](std::chrono::nanoseconds) {
      std::this_thread::sleep_for(1ms);
      return true;
    };
    auto started = exporters::HttpServer::start(
        {.listen_addresses = {"127.0.0.1:0"}},
        {{exporters::HttpMethod::kPost, probes::kBenchPath,
          [this](const auto& request) { return to_http(service.open(request.body)); }},
         {exporters::HttpMethod::kPost, probes::kBenchRunPath,
          [this](const auto& request) { return to_http(service.act(request.body)); }}},
        http_clock);
    server = std::move(started.value());
  }

  test::CliResult bench(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "bench", server->addresses().front(), "--device", "mlx5_0", "--cpu", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  core::SystemClock http_clock;
  probes::BenchPermission permission{.enabled = true};
  probes::BenchService service{
      {.clock = std::make_shared<core::SystemClock>(),
       .random = probes::random_from_system(),
       .permission = [this] { return permission; },
       .ports =
           [] {
             return std::vector<probes::BenchPort>{{"peer0", 1, core::Protocol::kRoce}};
           },
       .placement = {probes::BenchPlacement::Kind::kAnywhere, 0}}};
  std::unique_ptr<exporters::HttpServer> server;
};

}  // namespace

TEST_CASE("a sweep is measured, stored, compared and shown as a page") {
  BenchFixture cli;
  const std::vector<std::string> wishes = {"--sizes", "2..8", "--iterations", "40",
                                           "--depth", "8",    "--op",         "send"};
  std::vector<std::string> stored = wishes;
  stored.insert(stored.end(), {"--json", "--html", cli.tree.at("run.html")});
  const auto result = cli.bench(stored);
  INFO(result.err);
  REQUIRE(result.code == cli::kExitFine);
  const auto document = nlohmann::json::parse(result.out);
  CHECK(document["rows"].size() == 3);
  CHECK(document["peer_device"] == "peer0");
  CHECK(document["problem"] == "");
  CHECK(document["rows"][2]["bandwidth"]["messages"] == 40);
  CHECK(std::filesystem::file_size(cli.tree.at("run.html")) > 5000);

  cli.tree.write("stored.json", result.out);
  std::vector<std::string> compared = wishes;
  compared.insert(compared.end(), {"--compare", cli.tree.at("stored.json")});
  const auto again = cli.bench(compared);
  INFO(again.err);
  CHECK(holds(again.out, "latency p50"));
  CHECK(test::FakeVerbs::instance().live_objects().empty());
}

TEST_CASE("a peer's refusal is said in its own words") {
  BenchFixture cli;
  cli.permission.enabled = false;
  auto result = cli.bench({"--sizes", "8"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(result.out.empty());
  CHECK(holds(result.err, "bench.enabled is false in this agent's configuration"));
  cli.permission.enabled = true;
  cli.permission.most = 3s;
  result = cli.bench({"--sizes", "8,16", "--duration", "2s"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(holds(result.err, "the sweep takes 8 s, and the peer allows 3 s"));
  result = cli.bench({"--op", "send", "--transport", "ud", "--sizes", "4K"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(holds(result.err, "does not fit a UD datagram: the path MTU is 1024"));
  CHECK(test::FakeVerbs::instance().live_objects().empty());
}

TEST_CASE("nobody there is said so") {
  BenchFixture cli;
  const auto result = cli.run({"bench", "127.0.0.1:1", "--device", "mlx5_0", "--cpu", "none"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(holds(result.err, "no agent and no `rdmadiag bench --server` there"));
}

TEST_CASE("registration needs no peer") {
  BenchFixture cli;
  const auto result = cli.run({"bench", "--metric", "registration", "--device", "mlx5_0", "--cpu",
                               "none", "--sizes", "4K,8K", "--iterations", "20", "--csv"});
  INFO(result.err);
  CHECK(result.code == cli::kExitFine);
  CHECK(holds(result.out, "register_p50_seconds"));
  CHECK(holds(result.out, "\n8192,18,"));
}
