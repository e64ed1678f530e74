// `rdmadiag trace` as a command: whom it traces, what it prints, its exit codes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "probes/control_message.h"
#include "probes/flow_label.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/golden.h"

using namespace rdmadiag;
using test::CliFixture;
using test::CliResult;

namespace {

// Three hops away, two spines in between.
class Fabric final : public probes::TraceNetwork {
 public:
  explicit Fabric(bool mute) : mute_(mute) {}
  core::Result<std::optional<probes::HopAnswer>> probe(std::uint16_t source_port, std::uint16_t,
                                                       int ttl) override {
    if (ttl >= 3) return probes::HopAnswer{"192.0.2.9", true, std::chrono::microseconds(40)};
    if (mute_ && ttl == 2) return std::nullopt;
    const std::string spine = source_port % 2 == 1 ? "2" : "3";
    return probes::HopAnswer{ttl == 1 ? "192.0.2.1" : "192.0.2." + spine, false,
                             std::chrono::microseconds(20 * ttl)};
  }

 private:
  bool mute_;
};

struct Trace : CliFixture {
  Trace() : CliFixture("mlx5_roce_200g") {
    during_wait = [](auto) { return true; };
    trace = [this](const cli::TraceEnds& asked) {
      ends = asked;
      return core::Result<std::unique_ptr<probes::TraceNetwork>>(std::make_unique<Fabric>(mute));
    };
  }
  bool mute = false;
  cli::TraceEnds ends;
};

}  // namespace

TEST_CASE("labels that share a way are named") {
  Trace host;
  const CliResult result =
      host.run({"trace", "--to", "192.0.2.9", "--label", "2", "--label", "3", "--label", "4"});
  CHECK(result.code == 0);
  CHECK(result.out ==
        "TRACE 192.0.2.9 (192.0.2.9), 3 hops away\n"
        "label 2, source port 49154: 192.0.2.1 (20.0us), 192.0.2.3 (40.0us), peer\n"
        "label 3, source port 49155: 192.0.2.1 (20.0us), 192.0.2.2 (40.0us), peer\n"
        "label 4, source port 49156: 192.0.2.1 (20.0us), 192.0.2.3 (40.0us), peer\n"
        "labels 2, 4 share one way\n"
        "label 3 has a way of its own\n");
  CHECK(host.ends.to == "192.0.2.9");
  CHECK(host.ends.traffic_class == 26 << 2);
}

TEST_CASE("JSON of a trace") {
  Trace host;
  const CliResult result =
      host.run({"trace", "--to", "192.0.2.9", "--label", "2", "--label", "3", "--json"});
  CHECK(test::golden_difference("cli/trace.json", result.out) == "");
}

TEST_CASE("a router that keeps silent makes it unclear") {
  Trace host;
  host.mute = true;
  const CliResult result = host.run({"trace", "--to", "192.0.2.9", "--labels", "2"});
  CHECK(result.code == 3);
  CHECK(result.out.find("no answer") != std::string::npos);
  CHECK(result.out.find("2 of 2 ways have gaps") != std::string::npos);
}

TEST_CASE("a peer is traced by the address its agent tells, from ours of the same kind") {
  Trace host;
  probes::AgentEndpoints peer;
  peer.host = "node2";
  probes::RnicEndpoint rnic;
  rnic.device = "mlx5_0";
  rnic.protocol = core::Protocol::kRoce;
  rnic.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 9};
  peer.rnics.push_back(rnic);
  host.pages["http://node2:10915/api/v1/endpoints"] = probes::encode_endpoints(peer);
  const CliResult result = host.run({"trace", "node2", "--labels", "1", "--dscp", "0"});
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK(result.out.starts_with("TRACE node2/mlx5_0 (192.0.2.9), 3 hops away\n"));
  CHECK(host.ends.to == "192.0.2.9");
  CHECK_FALSE(host.ends.from.empty());
  CHECK(host.ends.traffic_class == 0);

  peer.rnics[0].protocol = core::Protocol::kInfiniband;
  host.pages["http://node2:10915/api/v1/endpoints"] = probes::encode_endpoints(peer);
  const CliResult none = host.run({"trace", "node2"});
  CHECK(none.code == 3);
  CHECK(none.err ==
        "rdmadiag: node2 has no RoCE NIC with an address: only routed RoCE can be traced\n");
}

TEST_CASE("a trace wants to know where to") {
  Trace host;
  CHECK(host.run({"trace"}).code == 64);
  CHECK(host.run({"trace", "node2", "--to", "192.0.2.9"}).code == 64);
  CHECK(host.run({"trace", "--to", "192.0.2.9", "--hops", "17"}).code == 64);
  const CliResult name = host.run({"trace", "--to", "node2"});
  CHECK(name.code == 64);
  CHECK(name.err.find("'node2' is no IP address") != std::string::npos);
  CHECK(host.run({"trace", "nobody"}).code == 3);
}
