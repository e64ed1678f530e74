// `ping` against a responder in this process, over the fake libibverbs.
#include <catch2/catch.hpp>
#include <thread>

#include "agent/cli/ping_rc_statistics.h"
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
    while (!responder->endpoint().problem.empty()) std::this_thread::sleep_for(1ms);
    probes::AgentEndpoints agent{.host = "n2", .epoch = 77, .rnics = {responder->endpoint()}};
    pages["http://n2:10915/api/v1/endpoints"] = probes::encode_endpoints(agent);
    answer_call = [this](const cli::HttpCall& call) { return answer(call); };
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

  // As the peer's agent would.
  [[nodiscard]] core::Result<std::string> answer(const cli::HttpCall& call) {
    if (!call.json) {
      const auto page = pages.find(call.url);
      return page != pages.end() ? core::Result<std::string>(page->second)
                                 : core::fail("GET " + call.url + ": HTTP status 404");
    }
    offers.push_back(probes::decode_rc_offer(*call.json).value());
    if (!refusal.empty()) return core::fail("POST " + call.url + ": HTTP status 409: " + refusal);
    const auto accepted = responder->accept(offers.back().from, offers.back().parameters);
    if (!accepted) return tl::make_unexpected(accepted.error());
    return probes::encode_rc_parameters(*accepted);
  }

  std::unique_ptr<probes::Rnic> responder;
  std::vector<probes::RcOffer> offers;
  std::string refusal;
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
  const auto result = cli.ping({"-c", "3", "-i", "200ms"});
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
  CHECK(holds(without.err, "no active RDMA port here, on none"));
  CHECK(cli.ping({"-i", "1ms"}).code == cli::kExitUsage);
  CHECK(holds(cli.ping({"-i", "9ms"}).err, "at least 10ms"));
  CHECK(holds(cli.ping({"--rc", "-i", "900us"}).err, "at least 1ms with --rc"));
  auto other = cli.run({"ping", "n2/peer9", "--key-file", cli.tree.at("etc/probe.key")});
  CHECK(other.code == cli::kExitUnknown);
  CHECK(holds(other.err, "n2 cannot be probed: it has no RDMA NIC peer9"));
}

TEST_CASE("statistics of a ping number probes by when they were sent, whenever they are decided") {
  cli::PingStatistics sum(10ms, 4);
  CHECK(sum.add({decided(0ms, ProbeOutcome::kOk), decided(40ms, ProbeOutcome::kOk)}).size() == 2);
  CHECK_FALSE(sum.complete());
  const auto late =
      sum.add({decided(21ms, ProbeOutcome::kOk), decided(10ms, ProbeOutcome::kLostReverse)});
  REQUIRE(late.size() == 2);
  CHECK(late[0].number == 2);
  CHECK(late[1].number == 1);
  CHECK(sum.complete());
  CHECK(sum.sent() == 4);
  CHECK(sum.lost() == 1);
  REQUIRE(sum.network());
  CHECK(sum.network()->most == Approx(40e-6));
  CHECK_FALSE(cli::PingStatistics(10ms, 0).network());
}

TEST_CASE("ping over a connection prints each message and what they add up to") {
  PingFixture cli;
  const auto result = cli.ping({"--rc", "-c", "3", "-i", "10ms"});
  INFO(result.out << result.err);
  CHECK(result.code == cli::kExitFine);
  CHECK(holds(result.out,
              "PING n2/peer0 (::ffff:10.0.0.2) from mlx5_0 port 1, RC send\nconnected\n"));
  CHECK(holds(result.out, "seq=2 rtt="));
  CHECK_FALSE(holds(result.out, "seq=3 "));
  CHECK(holds(result.out, "n2/peer0: 3 messages, 0 lost (0%); connected 1 time, broken 0\n"));
  CHECK(holds(result.out, "round trip min/p50/avg/max "));
  REQUIRE(cli.offers.size() == 1);
  // Not the name of this host's agent, whose own connections would have to give way.
  CHECK(cli.offers[0].from == "here/mlx5_0 ping");
  CHECK(cli.offers[0].parameters.service == probes::RcService::kReliable);
}

TEST_CASE("ping over an unreliable connection counts what the agent sends back") {
  PingFixture cli;
  const auto result = cli.ping({"--uc", "-c", "2", "-i", "10ms", "--json"});
  INFO(result.out << result.err);
  CHECK(result.code <= cli::kExitWarning);
  CHECK(holds(result.out, "\"transport\": \"uc\""));
  CHECK(cli.offers.at(0).parameters.service == probes::RcService::kUnreliable);
}

TEST_CASE("an agent that refuses a connection, or is not there, is quoted and that is the end") {
  PingFixture cli;
  cli.refusal = "one-sided probes are not allowed here";
  const auto refused = cli.ping({"--rc", "--op", "write"});
  CHECK(refused.code == cli::kExitUnknown);
  CHECK(
      holds(refused.err,
            "asking the peer: POST http://n2:10915/api/v1/rc: HTTP status 409: one-sided probes"));
  CHECK(cli.offers.at(0).parameters.operation == probes::RcOperation::kWrite);
  CHECK(cli.run({"ping", "n9", "--rc"}).code == cli::kExitUnknown);
  CHECK(cli.run({"ping", "n2/peer9", "--rc"}).code == cli::kExitUnknown);
}

TEST_CASE("ping over a connection that is interrupted at once cannot tell") {
  PingFixture cli;
  cli.during_wait = [](auto) { return false; };
  const auto result = cli.ping({"--rc", "--json"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(test::golden_difference("cli/ping_rc.json", result.out) == "");
}

TEST_CASE("options of ping that do not go together are usage errors") {
  PingFixture cli;
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--rc", "--uc"},
                                             {"--op", "write"},
                                             {"--rc", "--op", "atomic"},
                                             {"--rc", "--labels", "4"},
                                             {"--uc", "--timeout", "1s"},
                                             {"--rc", "-i", "900us"},
                                             {"--listen", ":1"},
                                             {"--server"}}) {
    INFO(wrong.back());
    CHECK(cli.ping(wrong).code == cli::kExitUsage);
  }
  CHECK(cli.run({"ping"}).code == cli::kExitUsage);
  CHECK(cli.run({"ping", "--server", "--json"}).code == cli::kExitUsage);
}

TEST_CASE("messages over a connection add up, and the exit code says how it went") {
  using Kind = probes::RcRecord::Kind;
  const auto record = [](Kind kind, std::string problem = {}) {
    return probes::RcRecord{
        .kind = kind, .round_trip = std::chrono::microseconds(5), .problem = std::move(problem)};
  };
  cli::RcPingStatistics sum(3);
  CHECK(sum.exit_code() == cli::kExitUnknown);
  sum.add(record(Kind::kNotAgreed, "refused"));
  sum.add(record(Kind::kLocal, "port down"));
  CHECK(sum.exit_code() == cli::kExitUnknown);
  sum.add(record(Kind::kBroken, "no path"));
  CHECK(sum.exit_code() == cli::kExitCritical);
  CHECK(sum.ended() == 0);
  sum.add(record(Kind::kUp));
  sum.add(record(Kind::kAcknowledged));
  CHECK(sum.exit_code() == cli::kExitFine);
  CHECK(sum.is_up());
  sum.add(record(Kind::kLost));
  sum.add(record(Kind::kBroken, "retries exceeded"));
  CHECK(sum.exit_code() == cli::kExitWarning);
  CHECK(sum.ended() == 1);
  CHECK_FALSE(sum.is_up());
  CHECK(sum.problem() == "retries exceeded");
  CHECK_FALSE(sum.complete());
  sum.add(record(Kind::kUp));
  CHECK(sum.connected() == 2);
  CHECK(sum.add(record(Kind::kAcknowledged)));
  CHECK(sum.complete());
  CHECK_FALSE(sum.add(record(Kind::kLost)));
  CHECK(sum.lost() == 1);
  REQUIRE(sum.round_trip());
  CHECK(sum.round_trip()->most == Approx(5e-6));
}
