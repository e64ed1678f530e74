// `ping` against a responder in this process, over the fake libibverbs.
#include <catch2/catch.hpp>
#include <thread>

#include "agent/cli/ping_statistics.h"
#include "agent/core/gid.h"
#include "probes/control_message.h"
#include "probes/verbs/rnic.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/fake_verbs.h"
#include "tests/support/golden.h"

using namespace rdmadiag;
using namespace std::chrono_literals;
using core::ProbeOutcome;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kKey = "1 00112233445566778899aabbccddeeff\n";

std::unique_ptr<probes::Rnic> make_responder(const std::string& key) {
  auto keys = std::make_shared<probes::KeyRing>(probes::make_local_key());
  keys->set_shared(probes::parse_key_file(key).value());
  probes::RnicOptions options;
  options.host = "n2";
  options.device.name = "peer0";
  options.datagrams.epoch = options.acceptor.epoch = 77;
  probes::ProberUser::Wishes nothing{.look_up = [](const auto&) {}, .connect = [](const auto&) {}};
  return std::make_unique<probes::Rnic>(std::move(options), keys, probes::random_from_system(),
                                        std::make_shared<const core::SystemClock>(),
                                        std::move(nothing));
}

struct PingFixture : test::CliFixture {
  explicit PingFixture(const std::string& peer_key = kKey) : CliFixture("mlx5_roce_200g") {
    auto& fake = test::FakeVerbs::instance();
    fake.reset();
    fake.add_device("mlx5_0", core::parse_gid("::ffff:10.0.0.1").value());
    fake.add_device("peer0", core::parse_gid("::ffff:10.0.0.2").value());
    tree.write("etc/probe.key", kKey);
    std::filesystem::permissions(tree.at("etc/probe.key"), std::filesystem::perms(0600));
    responder = make_responder(peer_key);
    while (responder->endpoint().qpn == 0) std::this_thread::sleep_for(1ms);
    probes::AgentEndpoints agent{.host = "n2", .epoch = 77, .rnics = {responder->endpoint()}};
    pages["http://n2:10915/api/v1/endpoints"] = probes::encode_endpoints(agent);
    during_wait = [](std::chrono::nanoseconds duration) {
      std::this_thread::sleep_for(duration);
      return true;
    };
  }
  test::CliResult ping(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"ping",   "n2",         "--device",
                                          "mlx5_0", "--key-file", tree.at("etc/probe.key")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  std::unique_ptr<probes::Rnic> responder;
};

probes::DecidedProbe decided(std::chrono::milliseconds posted, ProbeOutcome outcome) {
  probes::DecidedProbe probe;
  probe.probe.posted = core::SteadyTime(1h + posted);
  probe.outcome = outcome;
  if (outcome == ProbeOutcome::kOk)
    probe.sample = probes::ProbeSample{.network_rtt = std::chrono::microseconds(posted.count())};
  return probe;
}

}  // namespace

TEST_CASE("ping prints each probe and what they add up to") {
  PingFixture cli;
  const auto result = cli.ping({"-c", "3", "-i", "10ms"});
  INFO(result.out << result.err);
  CHECK(result.code == cli::kExitFine);
  CHECK(holds(result.out, "PING n2/peer0 (::ffff:10.0.0.2"));
  CHECK(holds(result.out, "seq=2 "));
  CHECK_FALSE(holds(result.out, "seq=3 "));
  CHECK(holds(result.out, "3 probes, 0 lost (0%)"));
  CHECK(holds(result.out, "network   min/p50/avg/max "));
}

TEST_CASE("ping with the wrong key gets no answer") {
  PingFixture cli("1 ffffffffffffffffffffffffffffffff\n");
  const auto result = cli.ping({"-c", "1", "-i", "10ms", "--json"});
  // Unknown rather than critical when this machine was too busy to tell.
  CHECK(result.code >= cli::kExitCritical);
  CHECK(holds(result.out, "\"ok\": 0"));
  CHECK(cli.responder->snapshot().responder.acks == 0);
}

TEST_CASE("ping that is interrupted before the first answer cannot tell") {
  PingFixture cli;
  cli.during_wait = [](auto) { return false; };
  const auto result = cli.ping({"--json"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(test::golden_difference("cli/ping.json", result.out) == "");
}

TEST_CASE("ping says what it lacks") {
  PingFixture cli;
  CHECK(holds(cli.run({"ping", "n2"}).err, "no key: set probes.key_file"));
  CHECK(holds(cli.run({"ping", "n9", "--key-file", cli.tree.at("etc/probe.key")}).err, "n9:10915"));
  const std::string key = cli.tree.at("etc/probe.key");
  const auto without = cli.run({"ping", "n2", "--key-file", key, "--device", "none"});
  CHECK(holds(without.err, "no active RDMA port here"));
  CHECK(cli.ping({"-i", "1ms"}).code == cli::kExitUsage);
  auto other = cli.run({"ping", "n2/peer9", "--key-file", cli.tree.at("etc/probe.key")});
  CHECK(other.code == cli::kExitUnknown);
  CHECK(holds(other.err, "n2 cannot be probed: it has no RDMA NIC peer9"));
}

TEST_CASE("statistics of a ping count what is asked for, whenever it is decided") {
  cli::PingStatistics sum(10ms, 3);
  CHECK(sum.add({decided(0ms, ProbeOutcome::kOk), decided(30ms, ProbeOutcome::kOk)}).size() == 1);
  CHECK_FALSE(sum.complete());
  const auto late =
      sum.add({decided(21ms, ProbeOutcome::kOk), decided(10ms, ProbeOutcome::kLostReverse)});
  REQUIRE(late.size() == 2);
  CHECK(late[0].number == 2);
  CHECK(late[1].number == 1);
  CHECK(sum.complete());
  CHECK(sum.sent() == 3);
  CHECK(sum.lost() == 1);
  REQUIRE(sum.network());
  CHECK(sum.network()->most == Approx(21e-6));
  CHECK_FALSE(cli::PingStatistics(10ms, 0).network());
}
