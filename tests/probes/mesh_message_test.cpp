// What agents say of the mesh, there and back, and what is refused of a hostile one.
#include "probes/mesh_message.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/example_mesh.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using nlohmann::json;

namespace {

std::string error(const json& document) {
  const auto decoded = decode_mesh(document.dump());
  return decoded ? "accepted" : decoded.error().message();
}

json example() { return json::parse(encode_mesh(test::example_report())); }

PinglistTarget example_target() {
  return {.peer = "n2/rxe0",
          .agent = "n2",
          .leaf = "b",
          .scope = core::ProbeScope::kFabric,
          .interval_seconds = 0.25,
          .datagrams = true,
          .connection = true,
          .resolved = true,
          .reason = "leaf b, 1 after our own"};
}

}  // namespace

TEST_CASE("a mesh report, there and back") {
  const core::MeshReport sent = test::example_report();
  const auto got = decode_mesh(encode_mesh(sent));
  REQUIRE(got);
  CHECK(got->host == "n1");
  CHECK(got->taken_at == sent.taken_at);
  REQUIRE(got->agents.size() == 3);
  CHECK(got->agents[0].is_self);
  CHECK(got->agents[1].answered_at == sent.agents[1].answered_at);
  CHECK(got->agents[1].nics == std::vector<std::string>{"n2/rxe0"});
  CHECK(got->agents[2].state == core::AgentState::kUnreachable);
  CHECK(got->agents[2].problem == "timed out");
  REQUIRE(got->probes.size() == 1);
  const core::ProbeSnapshot& rnic = got->probes[0];
  CHECK(rnic.outcomes == sent.probes[0].outcomes);
  CHECK(rnic.hops == 3);
  CHECK(rnic.rate_factor == 0.5);
  REQUIRE(rnic.peers.size() == 2);
  CHECK(rnic.peers[1].scope == core::ProbeScope::kFabric);
  CHECK(rnic.peers[1].lost == 5);
  CHECK(rnic.peers[1].rtt_p50_seconds == 12.5e-6);
  REQUIRE(rnic.paths.size() == 1);
  CHECK(rnic.paths[0].label == 77);
  CHECK(rnic.paths[0].lost_reverse == 1);
  CHECK(rnic.rc.peers[1].problem == "no answer");
  CHECK(rnic.rc.rebuilds[1] == 2);
  // Whatever the comparisons above forgot.
  CHECK(encode_mesh(*got) == encode_mesh(sent));
}

TEST_CASE("a hostile agent's mesh is refused, with the field") {
  json document = example();
  CHECK(error(document) == "accepted");
  CHECK(error(json::array()) == "probes: no object");
  document["rnics"][0]["peers"][1]["rtt_p50_seconds"] = -1;
  CHECK(error(document) == "probes: rtt_p50_seconds is no number in its range");
  document = example();
  document["rnics"][0]["running"] = 1;
  CHECK(error(document) == "probes: running is neither true nor false");
  document = example();
  document["agents"][0]["nics"] = {"a\nb"};
  CHECK(error(document) == "probes: nics holds what is no short text");
  document = example();
  document["agents"][0]["state"] = "asleep";
  CHECK(error(document) == "probes: state is no word that is known");
  document = example();
  document["rnics"] = json(std::vector<json>(65, document["rnics"][0]));
  CHECK(error(document) == "probes: rnics is no list of at most 64");
}

TEST_CASE("path rows that would mislead localisation are refused") {
  const std::vector<std::vector<std::int64_t>> wrong = {
      {1, 77, 1'767'225'570, 200, 0, 0, 0},  // no such peer
      {0, 77, 1'767'225'570, 10, 11, 0, 0},  // more lost than sent
      {0, 77, 9'000'000'000, 10, 0, 0, 0},   // another century
      {0, 1LL << 40, 1'767'225'570, 10, 0, 0, 0},
  };
  for (const auto& row : wrong) {
    json document = example();
    document["rnics"][0]["paths"][0] = row;
    CHECK(error(document) == "probes: paths holds a row that makes no sense");
  }
  json document = example();
  document["rnics"][0]["paths"][0] = {0, 77, -30, 1, 0, 0, 0};
  CHECK(error(document) == "probes: paths holds what is no row of 7 numbers");
  document["rnics"][0]["paths"][0] = {0, 77};
  CHECK(error(document) == "probes: paths holds what is no row of 7 numbers");
}

TEST_CASE("an agent's address that would not be one is dropped") {
  json document = example();
  document["agents"][1]["address"] = "n2:10915/../../x?y";
  const auto decoded = decode_mesh(document.dump());
  REQUIRE(decoded);
  CHECK(decoded->agents[1].address.empty());
  CHECK(decoded->agents[2].address == "n3:10915");
}

TEST_CASE("a pinglist, there and back") {
  const std::vector<PinglistRnic> sent = {{"n1/rxe0", {example_target()}}, {"n1/rxe1", {}}};
  const auto got = decode_pinglist(encode_pinglist(sent));
  REQUIRE(got);
  CHECK(encode_pinglist(*got) == encode_pinglist(sent));
  REQUIRE(got->size() == 2);
  CHECK((*got)[0].targets.at(0).connection);
  CHECK((*got)[0].targets.at(0).scope == core::ProbeScope::kFabric);
  CHECK_FALSE(decode_pinglist(R"({"rnics":[{"targets":[]}]})"));
}
