// What agents tell each other, there and back, and what is refused of a hostile one.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "agent/core/gid.h"
#include "probes/control_message.h"
#include "tests/support/golden.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;

namespace {

AgentEndpoints example() {
  RnicEndpoint rnic;
  rnic.device = "mlx5_0";
  rnic.port = 2;
  rnic.protocol = core::Protocol::kRoce;
  rnic.leaf = "leaf-1";
  rnic.rail = "0";
  rnic.gid = core::parse_gid("::ffff:10.0.0.1").value();
  rnic.lid = 3;
  rnic.qpn = 0xffffff;
  rnic.qkey = 0x7fffffff;
  rnic.mtu_bytes = 4096;
  rnic.problem = "the port is down";
  return {.host = "node1", .epoch = 0xffffffff, .rnics = {rnic, rnic}};
}

std::string error(std::string_view json) {
  const auto decoded = decode_endpoints(json);
  return decoded ? "accepted" : decoded.error().message();
}

}  // namespace

TEST_CASE("endpoints, there and back") {
  const auto decoded = decode_endpoints(encode_endpoints(example()));
  REQUIRE(decoded);
  CHECK(*decoded == example());
}

TEST_CASE("endpoints: every protocol, there and back") {
  for (const core::Protocol protocol :
       {core::Protocol::kInfiniband, core::Protocol::kRoce, core::Protocol::kIwarp}) {
    AgentEndpoints agent = example();
    agent.rnics[0].protocol = protocol;
    const auto decoded = decode_endpoints(encode_endpoints(agent));
    REQUIRE(decoded);
    CHECK(decoded->rnics[0].protocol == protocol);
  }
}

TEST_CASE("endpoints as the schema in docs/schemas has them") {
  const auto document = nlohmann::ordered_json::parse(encode_endpoints(example()));
  CHECK(test::golden_difference("cli/endpoints.json", document.dump(2) + "\n") == "");
}

TEST_CASE("unknown fields are passed over, missing ones are empty") {
  const auto decoded = decode_endpoints(R"({"host":"n","epoch":1,"new":{"a":[1]},"rnics":[]})");
  REQUIRE(decoded);
  CHECK(decoded->rnics.empty());
  CHECK(decode_endpoints(R"({"host":"n"})"));
}

TEST_CASE("a hostile peer's endpoints are refused, with the field") {
  CHECK(error("") == "endpoints: no JSON");
  CHECK(error("[]") == "endpoints: no object");
  CHECK(error("{}") == "endpoints: host is missing");
  CHECK(error(R"({"host":1})") == "endpoints: host is no text");
  CHECK(error(R"({"host":"a\nb"})") == "endpoints: host is too long or not printable");
  CHECK(error(R"({"host":")" + std::string(200, 'x') + "\"}") ==
        "endpoints: host is too long or not printable");
  CHECK(error(R"({"host":"n","epoch":-1})") ==
        "endpoints: epoch is no number from 0 to 4294967295");
  CHECK(error(R"({"host":"n","epoch":4294967296})") ==
        "endpoints: epoch is no number from 0 to 4294967295");
  CHECK(error(R"({"host":"n","epoch":1.5})") ==
        "endpoints: epoch is no number from 0 to 4294967295");
  CHECK(error(R"({"host":"n","rnics":7})") == "endpoints: rnics is no list of at most 64");
  CHECK(error(R"({"host":"n","rnics":[7]})") == "endpoints: rnics holds what is no object");
  CHECK(error(R"({"host":"n","rnics":[{}]})") == "endpoints: device is missing");
  CHECK(error(R"({"host":"n","rnics":[{"device":"d","qpn":16777216}]})") ==
        "endpoints: qpn is no number from 0 to 16777215");
  CHECK(error(R"({"host":"n","rnics":[{"device":"d","gid":"::1::2"}]})") ==
        "endpoints: gid is no GID");
  CHECK(error(std::string(kMaxControlBytes + 1, ' ')) == "endpoints: too long");
  CHECK(error(std::string(1000, '[') + std::string(1000, ']')) == "endpoints: no JSON");
  std::string many = R"({"host":"n","rnics":[)";
  for (int i = 0; i < 65; ++i) many += R"({"device":"d"},)";
  many.back() = ']';
  CHECK(error(many + "}") == "endpoints: rnics is no list of at most 64");
}

TEST_CASE("a connection's offer and its answer, there and back") {
  RcOffer offer;
  offer.from = "node1/mlx5_0";
  offer.device = "mlx5_1";
  offer.port = 1;
  offer.parameters.gid = core::parse_gid("fe80::1").value();
  offer.parameters.qpn = 77;
  offer.parameters.psn = 0xffffff;
  offer.parameters.mtu_bytes = 1024;
  offer.parameters.epoch = 9;
  offer.parameters.operation = RcOperation::kRead;
  offer.parameters.service = RcService::kUnreliable;
  offer.parameters.memory_address = 0xffffffffffffffff;
  offer.parameters.memory_key = 5;
  offer.parameters.cm_port = 4000;
  offer.parameters.cm_token = 1ull << 63;
  const auto decoded = decode_rc_offer(encode_rc_offer(offer));
  REQUIRE(decoded);
  CHECK(*decoded == offer);
  CHECK(decode_rc_parameters(encode_rc_parameters(offer.parameters)) == offer.parameters);
}

TEST_CASE("a hostile connection offer is refused, with the field") {
  const auto error = [](std::string_view json) {
    const auto decoded = decode_rc_offer(json);
    return decoded ? "accepted" : decoded.error().message();
  };
  CHECK(error(R"({"device":"d"})") == "rc: from is missing");
  CHECK(error(R"({"from":"a/b"})") == "rc: device is missing");
  CHECK(error(R"({"from":"a/b","device":"d","psn":16777216})") ==
        "rc: psn is no number from 0 to 16777215");
  CHECK(error(R"({"from":"a/b","device":"d","operation":"erase"})") ==
        "rc: operation is no word that is known");
  CHECK(error(R"({"from":"a/b","device":"d","cm_port":65536})") ==
        "rc: cm_port is no number from 0 to 65535");
}
