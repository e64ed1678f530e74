// What the commands that ask agents about the mesh print, and their exit codes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "probes/mesh_message.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/example_mesh.h"
#include "tests/support/golden.h"

using namespace rdmadiag;

namespace {

struct TwoAgents : test::CliFixture {
  core::MeshReport n1 = test::example_report();
  core::MeshReport n2 = test::other_report();

  test::CliResult ask(const std::vector<std::string>& arguments) {
    pages["http://localhost:10915/api/v1/probes"] = probes::encode_mesh(n1);
    pages["http://n2:10915/api/v1/probes"] = probes::encode_mesh(n2);
    return run(arguments);
  }
  void heal() {
    n1.agents.pop_back();
    n1.sources.pop_back();
    n1.probes[0].peers[1].lost = 0;
    n1.probes[0].peers[1].bad = false;
  }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_golden(const std::string& name, const std::string& text) {
  CHECK(test::golden_difference("cli/" + name, text) == "");
}

}  // namespace

TEST_CASE("peers names every agent and source with what is wrong") {
  TwoAgents cli;
  const auto result = cli.ask({"peers"});
  CHECK(result.code == cli::kExitWarning);
  check_golden("peers.txt", result.out);
  check_golden("peers.json", cli.ask({"peers", "--json"}).out);
  cli.heal();
  CHECK(cli.ask({"peers"}).code == cli::kExitFine);
  cli.n1.agents[1].state = core::AgentState::kRefused;
  CHECK(cli.ask({"peers"}).code == cli::kExitCritical);
}

TEST_CASE("mesh asks every agent and names those that do not answer") {
  TwoAgents cli;
  const auto result = cli.ask({"mesh"});
  CHECK(result.code == cli::kExitWarning);
  check_golden("mesh.txt", result.out);
  CHECK(holds(result.err, "n3: http://n3:10915/api/v1/probes: HTTP status 404"));
  check_golden("mesh.json", cli.ask({"mesh", "--json"}).out);
}

TEST_CASE("mesh exits with 0 only when every agent answers and nothing is lost") {
  TwoAgents cli;
  cli.heal();
  CHECK(cli.ask({"mesh"}).code == cli::kExitFine);
  core::ProbePeer& peer = cli.n2.probes[0].peers[0];
  peer.lost = 1;
  CHECK(cli.ask({"mesh"}).code == cli::kExitWarning);
  peer.lost = peer.sent;
  CHECK(cli.ask({"mesh"}).code == cli::kExitCritical);
  peer.sent = peer.lost = 0;
  cli.n1.probes.clear();
  CHECK(cli.ask({"mesh"}).code == cli::kExitUnknown);
}

TEST_CASE("what agents say cannot steer the terminal") {
  TwoAgents cli;
  cli.n1.agents[1].problem = "\x9b 2J";
  cli.n1.probes[0].peers[1].peer = "n\xc2\x9b/x";
  for (const char* command : {"peers", "mesh"}) {
    const auto result = cli.ask({command});
    CHECK_FALSE(holds(result.out, "\xc2\x9b"));
    CHECK_FALSE(holds(result.out, "\x9b 2J"));
  }
}

TEST_CASE("the API's own answer satisfies its schema") {
  const std::string compact = probes::encode_mesh(test::example_report());
  check_golden("probes.json", nlohmann::ordered_json::parse(compact).dump(2) + "\n");
}

TEST_CASE("without an agent the mesh commands cannot tell") {
  test::CliFixture cli;
  for (const char* command : {"peers", "pinglist", "mesh", "locate"}) {
    const auto result = cli.run({command});
    CHECK(result.code == cli::kExitUnknown);
    CHECK(holds(result.err, "http://localhost:10915/api/v1/"));
    CHECK(result.out.empty());
  }
}

TEST_CASE("pinglist says whom a NIC probes, and why when asked") {
  test::CliFixture cli;
  const probes::PinglistTarget target{.peer = "n2/rxe0",
                                      .agent = "n2",
                                      .leaf = "b",
                                      .scope = core::ProbeScope::kFabric,
                                      .interval_seconds = 0.25,
                                      .datagrams = true,
                                      .connection = true,
                                      .resolved = true,
                                      .reason = "leaf b, 1 after our own: rank 1 of 1 candidate"};
  cli.pages["http://n1:10915/api/v1/pinglist"] =
      probes::encode_pinglist({{"n1/rxe0", {target}}, {"n1/rxe1", {}}});
  const auto result = cli.run({"pinglist", "--agent", "n1"});
  CHECK(result.code == cli::kExitFine);
  CHECK_FALSE(holds(result.out, "rank 1"));
  check_golden("pinglist.txt", cli.run({"pinglist", "--explain", "--agent", "n1"}).out);
  check_golden("pinglist.json", cli.run({"pinglist", "--json", "--agent", "n1"}).out);
  cli.pages["http://n1:10915/api/v1/pinglist"] = probes::encode_pinglist({});
  CHECK(cli.run({"pinglist", "--agent", "n1"}).code == cli::kExitUnknown);
}

TEST_CASE("locate blames what lost in two windows, and says what it rests on") {
  TwoAgents cli;
  core::ProbeSnapshot& rnic = cli.n1.probes[0];
  rnic.paths.clear();
  for (std::uint32_t i = 0; i < 10; ++i) {
    rnic.paths.push_back({.peer = 0,
                          .label = i % 5,
                          .window_start = 1'767'225'540 + 30 * (i / 5),
                          .sent = 40,
                          .lost_forward = 4});
  }
  const auto result = cli.ask({"locate"});
  CHECK(result.code == cli::kExitCritical);
  CHECK(holds(result.err, "n3: "));
  check_golden("locate.txt", result.out);
  check_golden("locate.json", cli.ask({"locate", "--json"}).out);
  rnic.paths.erase(rnic.paths.begin(), rnic.paths.begin() + 5);
  CHECK(cli.ask({"locate"}).code == cli::kExitWarning);
  for (core::PathRecord& path : rnic.paths) path.lost_forward = 0;
  CHECK(cli.ask({"locate"}).code == cli::kExitFine);
  rnic.paths.clear();
  cli.n2.probes.clear();
  CHECK(cli.ask({"locate"}).code == cli::kExitUnknown);
}

TEST_CASE("plan prints what a cluster would cost") {
  test::CliFixture cli;
  const std::vector<std::string> asked = {"plan", "--hosts", "1024", "--per-leaf", "32"};
  check_golden("plan.txt", cli.run(asked).out);
  auto with_json = asked;
  with_json.emplace_back("--json");
  check_golden("plan.json", cli.run(with_json).out);
  CHECK(cli.run({"plan"}).code == cli::kExitUsage);
  CHECK(cli.run({"plan", "--hosts", "0"}).code == cli::kExitUsage);
  CHECK(cli.run({"plan", "--hosts", "1000000"}).code == cli::kExitUsage);
}
