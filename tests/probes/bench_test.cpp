// Both ends of the benchmark in one process, over the fake libibverbs.
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <thread>

#include "probes/bench/client.h"
#include "probes/bench/registration.h"
#include "probes/bench/service.h"
#include "tests/support/fake_verbs_pair.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using rdmadiag::test::check_clean;
using rdmadiag::test::FakeVerbs;

namespace {

const auto kClock = std::make_shared<const core::SystemClock>();
const BenchLimit kFew{.duration = {}, .iterations = 50};

struct Peer {
  explicit Peer(BenchPermission allowed = {.enabled = true}) : permission(std::move(allowed)) {}

  BenchPermission permission;
  BenchService service{{.clock = kClock,
                        .random = random_from_system(),
                        .permission = [this] { return permission; },
                        .ports =
                            [] {
                              return std::vector<BenchPort>{{"rxe1", 1, core::Protocol::kRoce}};
                            },
                        .placement = {BenchPlacement::Kind::kAnywhere, 0},
                        .tell = {}}};

  core::Result<std::string> post(const std::string& path, const std::string& json) {
    const BenchResponse answer = path == kBenchPath ? service.open(json) : service.act(json);
    if (answer.status != 200) {
      return core::fail(std::to_string(answer.status) + ": " +
                        answer.body.substr(0, answer.body.find('\n')));
    }
    return answer.body;
  }
};

BenchPlan make_plan(RcOperation operation, BenchTransport transport, std::uint32_t largest = 512) {
  BenchPlan plan;
  plan.operation = operation;
  plan.transport = transport;
  plan.largest = largest;
  plan.depth = 8;
  plan.moderation = 4;
  return plan;
}

BenchClientParts parts_for(Peer& peer) {
  return {.clock = kClock,
          .random = random_from_system(),
          .post = [&peer](const auto& path, const auto& json) { return peer.post(path, json); },
          .wait =
              [] {
                std::this_thread::sleep_for(1ms);
                return true;
              }};
}

core::Result<std::unique_ptr<BenchClient>> open(BenchClientParts parts, const BenchPlan& plan) {
  return BenchClient::open(std::move(parts), {.from = "n1/rxe0",
                                              .device = "rxe0",
                                              .port = 1,
                                              .peer_device = {},
                                              .plan = plan,
                                              .placement = {BenchPlacement::Kind::kAnywhere, 0}});
}

FakeVerbs& fresh() {
  FakeVerbs& fake = test::fresh_pair();
  fake.expect_remote_access();
  return fake;
}

}  // namespace

TEST_CASE("every operation of every transport is measured and leaves nothing") {
  const auto [operation, transport] = GENERATE(table<RcOperation, BenchTransport>({
      {RcOperation::kSend, BenchTransport::kRc},
      {RcOperation::kWrite, BenchTransport::kRc},
      {RcOperation::kRead, BenchTransport::kRc},
      {RcOperation::kSend, BenchTransport::kUc},
      {RcOperation::kWrite, BenchTransport::kUc},
      {RcOperation::kSend, BenchTransport::kUd},
  }));
  const bool events = GENERATE(false, true);
  INFO(kBenchOperationNames.at(static_cast<std::size_t>(operation))
       << " " << kBenchTransportNames.at(static_cast<std::size_t>(transport)) << " " << events);
  fresh();
  {
    Peer peer;
    BenchPlan plan = make_plan(operation, transport);
    plan.events = events;
    auto client = open(parts_for(peer), plan);
    REQUIRE(client);
    for (const std::uint32_t size : {2U, 512U}) {
      const auto latency = (*client)->measure(BenchMetric::kLatency, size, kFew);
      INFO((latency ? "" : latency.error().message()));
      REQUIRE(latency);
      CHECK(latency->latency->count == 48);
      const auto bandwidth = (*client)->measure(BenchMetric::kBandwidth, size, kFew);
      INFO((bandwidth ? "" : bandwidth.error().message()));
      REQUIRE(bandwidth);
      CHECK(bandwidth->bandwidth->bytes == 50 * size);
      CHECK(bandwidth->bandwidth->peak >= bandwidth->bandwidth->average * 0.999);
      if (operation == RcOperation::kSend && transport == BenchTransport::kRc) {
        CHECK(bandwidth->received == 50);
      }
    }
    CHECK(peer.service.runs() == 1);
    client->reset();
    CHECK(peer.service.runs() == 0);
  }
  check_clean();
}

TEST_CASE(
    "completions are moderated for small messages only: large ones on a slow link come too far "
    "apart") {
  FakeVerbs& fake = fresh();
  Peer peer;
  auto client = open(parts_for(peer), make_plan(RcOperation::kWrite, BenchTransport::kRc, 16384));
  REQUIRE(client);
  const auto completions = [&](std::uint32_t size) {
    const std::uint64_t before = fake.signalled_sends();
    REQUIRE((*client)->measure(BenchMetric::kBandwidth, size, kFew));
    return fake.signalled_sends() - before;
  };
  CHECK(completions(8192) == 13);
  CHECK(completions(8193) == 50);
  client->reset();
  check_clean();
}

TEST_CASE("both ends send, on several queue pairs") {
  const RcOperation operation = GENERATE(RcOperation::kSend, RcOperation::kWrite);
  fresh();
  {
    Peer peer;
    BenchPlan plan = make_plan(operation, BenchTransport::kRc);
    plan.pairs = 3;
    plan.bidirectional = true;
    auto client = open(parts_for(peer), plan);
    REQUIRE(client);
    const auto measured = (*client)->measure(BenchMetric::kBandwidth, 64, kFew);
    INFO((measured ? "" : measured.error().message()));
    REQUIRE(measured);
    CHECK(measured->bandwidth->messages > 0);
    CHECK(measured->peer_bandwidth->messages > 0);
    CHECK(measured->peer_bandwidth->bytes == measured->peer_bandwidth->messages * 64);
  }
  check_clean();
}

TEST_CASE("who may not measure is told why") {
  fresh();
  Peer closed({.enabled = false});
  const BenchPlan plan = make_plan(RcOperation::kWrite, BenchTransport::kRc);
  CHECK(open(parts_for(closed), plan).error().message() ==
        "403: bench.enabled is false in this agent's configuration");
  Peer peer;
  auto first = open(parts_for(peer), plan);
  REQUIRE(first);
  CHECK(open(parts_for(peer), plan).error().message() ==
        "409: the peer is busy with the run of n1/rxe0");
  first->reset();
  CHECK(open(parts_for(peer), plan));
  check_clean();
}

TEST_CASE("a peer's demands are held against what was agreed") {
  fresh();
  Peer peer;
  const auto run = [&] {
    auto client = open(parts_for(peer), make_plan(RcOperation::kWrite, BenchTransport::kRc));
    REQUIRE(client);
    return std::move(*client);
  };
  auto client = run();
  CHECK(client->measure(BenchMetric::kBandwidth, 64, {}).error().message() ==
        "the peer says: it would never end");
  const auto begin = [&](const std::string& name, std::uint32_t size) {
    return peer.service.act(encode_bench(BenchCommand{.run = name,
                                                      .action = BenchAction::kBegin,
                                                      .metric = BenchMetric::kLatency,
                                                      .size = size,
                                                      .limit = kFew}));
  };
  const auto too_large = begin(client->peer().run, 513);
  CHECK(decode_bench_report(too_large.body)->problem == "the size is not within the plan's");
  CHECK(begin("0123", 2).status == 404);
  CHECK(peer.service.act("{}").status == 400);
  CHECK(peer.service.open("[1]").status == 400);
  client.reset();
  check_clean();
}

TEST_CASE("a peer that vanishes ends the measurement with one sentence") {
  fresh();
  auto peer = std::make_unique<Peer>();
  BenchClientParts parts = parts_for(*peer);
  std::atomic<bool> gone = false;
  parts.post = [&](const std::string& path, const std::string& json) -> core::Result<std::string> {
    if (gone) return core::errno_error(ECONNREFUSED, "POST");
    return peer->post(path, json);
  };
  auto client = open(std::move(parts), make_plan(RcOperation::kSend, BenchTransport::kRc));
  REQUIRE(client);
  std::thread killer([&] {
    std::this_thread::sleep_for(20ms);
    gone = true;
    peer->service.stop();
  });
  const auto measured =
      (*client)->measure(BenchMetric::kLatency, 8, {.duration = 60s, .iterations = 0});
  killer.join();
  REQUIRE_FALSE(measured);
  const std::string why = measured.error().message();
  CHECK((why.find("the peer went away") == 0 ||
         why.find("retry counter exceeded") != std::string::npos));
  client->reset();
  check_clean();
}

TEST_CASE("a measuring end that vanishes is noticed") {
  fresh();
  {
    BenchOffer offer{.from = "n1/rxe0",
                     .device = {},
                     .protocol = core::Protocol::kRoce,
                     .plan = make_plan(RcOperation::kWrite, BenchTransport::kRc),
                     .ends = {RcParameters{
                         .gid = test::gid("::ffff:10.0.0.1"), .qpn = 0x99, .mtu_bytes = 1024}}};
    std::string ended;  // written before finished() says so
    BenchSession session({.device = "rxe1",
                          .placement = {BenchPlacement::Kind::kAnywhere, 0},
                          .silence = 1s,
                          .ended = [&](const std::string& why) { ended = why; }},
                         offer, random_from_system(), kClock);
    REQUIRE(session.opened());
    CHECK(session
              .act({.run = {},
                    .action = BenchAction::kBegin,
                    .metric = BenchMetric::kLatency,
                    .size = 8,
                    .limit = kFew})
              .problem == "");
    while (!session.finished()) std::this_thread::sleep_for(1ms);
    CHECK(ended.find("other end") != std::string::npos);
    CHECK(session.act({.run = {}, .action = BenchAction::kAlive, .limit = {}}).problem != "");
  }
  check_clean();
}

TEST_CASE("the user may have enough at any time") {
  fresh();
  Peer peer;
  BenchClientParts parts = parts_for(peer);
  int turns = 0;
  parts.wait = [&] {
    std::this_thread::sleep_for(1ms);
    return ++turns < 10;
  };
  auto client = open(std::move(parts), make_plan(RcOperation::kWrite, BenchTransport::kRc));
  REQUIRE(client);
  const auto measured =
      (*client)->measure(BenchMetric::kLatency, 8, {.duration = 60s, .iterations = 0});
  REQUIRE_FALSE(measured);
  CHECK(measured.error().code.value() == ECANCELED);
  client->reset();
  check_clean();
}

TEST_CASE("a lost datagram does not hang a run") {
  FakeVerbs& fake = fresh();
  Peer peer;
  auto client = open(parts_for(peer), make_plan(RcOperation::kSend, BenchTransport::kUd));
  REQUIRE(client);
  fake.set_filter([](const auto&) { return false; });
  const auto measured = (*client)->measure(BenchMetric::kLatency, 8, kFew);
  REQUIRE_FALSE(measured);
  CHECK(measured.error().message() ==
        "nothing came back for 2 s; a message or its answer was lost, or the peer has gone");
  client->reset();
  check_clean();
}

TEST_CASE("opening a run leaves nothing, whichever call fails") {
  const auto [operation, transport] = GENERATE(table<RcOperation, BenchTransport>({
      {RcOperation::kWrite, BenchTransport::kRc},
      {RcOperation::kSend, BenchTransport::kUd},
  }));
  bool used = true;
  for (int n = 1; used; ++n) {
    FakeVerbs& fake = fresh();
    {
      Peer peer;
      BenchPlan plan = make_plan(operation, transport);
      plan.events = true;
      fake.fail_nth(n, ENOMEM);
      const auto client = open(parts_for(peer), plan);
      used = fake.fault_used();
      INFO(n);
      if (!client) CHECK(client.error().message() != "");
    }
    check_clean();
    REQUIRE(n < 3000);
  }
}

TEST_CASE("registering memory is measured") {
  fresh();
  {
    const auto device = Device::open({.name = "rxe0", .node_guid = {}});
    REQUIRE(device);
    const auto figures = measure_registration(*device, 4096, kFew, *kClock);
    REQUIRE(figures);
    CHECK(figures->registering.count == 48);
    CHECK(figures->releasing.count == 48);
  }
  check_clean();
}
