#include "probes/verbs/rc_endpoint.h"

#include <catch2/catch.hpp>
#include <cerrno>

#include "agent/core/gid.h"
#include "probes/rc_acceptor.h"
#include "probes/rc_prober.h"
#include "tests/support/fake_verbs_pair.h"
#include "tests/support/manual_clock.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using rdmadiag::test::check_clean;
using rdmadiag::test::FakeVerbs;
using rdmadiag::test::fresh_pair;
using rdmadiag::test::gid;

namespace {

struct Node {
  std::unique_ptr<Device> device;  // stays where it is
  std::unique_ptr<RcEndpoint> endpoint;

  static core::Result<Node> make(const std::string& name, const core::Clock& clock,
                                 std::size_t connections = 4) {
    auto device = Device::open({.name = name, .node_guid = {}});
    if (!device) return tl::make_unexpected(device.error());
    const auto gids = device->gids(1);
    if (!gids) return tl::make_unexpected(gids.error());
    auto node = core::Result<Node>(Node{std::make_unique<Device>(std::move(*device)), nullptr});
    auto endpoint = RcEndpoint::create(
        *node->device, {.port = {.gid = gids->at(0)}, .max_connections = connections}, clock);
    if (!endpoint) return tl::make_unexpected(endpoint.error());
    node->endpoint = std::move(*endpoint);
    return node;
  }
};

// What RcEvents say, in words.
struct Diary final : RcEvents {
  void connected(RcConnectionId id) override { say("connected", id); }
  void sent(RcConnectionId id, const Tick&) override { say("sent", id); }
  void received(RcConnectionId id, std::uint64_t number, const Tick&) override {
    say("received", id);
    numbers.push_back(number);
  }
  void broken(RcConnectionId id, const std::string& why) override {
    say("broken", id);
    reasons.push_back(why);
  }
  void say(const char* what, RcConnectionId id) {
    entries.push_back(what + (" " + std::to_string(id)));
  }
  std::vector<std::string> entries;
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> reasons;
};

using Entries = std::vector<std::string>;

// Both ends of a connection.
struct Pair {
  Node active;
  Node passive;
  RcConnectionId from = 0;
  RcConnectionId to = 0;
};

core::Result<Pair> connect(const core::Clock& clock, const RcSetup& wish = {}) {
  auto active = Node::make("rxe0", clock);
  auto passive = Node::make("rxe1", clock);
  if (!active || !passive) return core::fail("opening");
  RcSetup setup = wish;
  setup.psn = 0x123456;
  const auto from = active->endpoint->create(setup);
  if (!from) return tl::make_unexpected(from.error());
  setup.role = RcRole::kAcceptor;
  setup.psn = 0x654321;
  const auto to = passive->endpoint->create(setup);
  if (!to) return tl::make_unexpected(to.error());
  if (auto up = passive->endpoint->connect(to->id, from->local); !up) {
    return tl::make_unexpected(up.error());
  }
  if (auto up = active->endpoint->connect(from->id, to->local); !up) {
    return tl::make_unexpected(up.error());
  }
  return Pair{std::move(*active), std::move(*passive), from->id, to->id};
}

}  // namespace

TEST_CASE("a message goes over a connection and its completion is the acknowledgement") {
  FakeVerbs& fake = fresh_pair();
  const bool has_inline = GENERATE(true, false);
  if (!has_inline) {
    fake.reset();
    fake.add_device("rxe0", gid("::ffff:10.0.0.1")).max_inline = 0;
    fake.add_device("rxe1", gid("::ffff:10.0.0.2"));
  }
  const test::ManualClock clock;
  {
    auto pair = connect(clock);
    REQUIRE(pair);
    // More than there are receives: they come back.
    for (std::uint64_t number = 1; number <= 20; ++number) {
      REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, number << 40));
      Diary active;
      Diary passive;
      CHECK(pair->active.endpoint->poll(active) == 1u);
      CHECK(pair->passive.endpoint->poll(passive) == 1u);
      CHECK(active.entries == Entries{"sent 1"});
      CHECK(passive.entries == Entries{"received 1"});
      CHECK(passive.numbers == std::vector{number << 40});
    }
    CHECK_FALSE(pair->active.endpoint->broken());
  }
  check_clean();
}

TEST_CASE("an unanswered message breaks the connection and says with which status") {
  FakeVerbs& fake = fresh_pair();
  const test::ManualClock clock;
  {
    auto pair = connect(clock);
    REQUIRE(pair);
    fake.set_filter([](const test::FakeDatagram&) { return false; });
    REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, 1));
    Diary diary;
    CHECK(pair->active.endpoint->poll(diary) == 1u);
    CHECK(diary.entries == Entries{"broken 1"});
    CHECK(diary.reasons ==
          Entries{"transport retry counter exceeded (wc status 12), vendor_err 0x0"});
    CHECK_FALSE(pair->active.endpoint->broken());
    pair->active.endpoint->destroy(pair->from);
    pair->active.endpoint->destroy(pair->from);
    // Context, protection domain, memory, channel and completion queue of both; one queue pair.
    CHECK(fake.live_objects().size() == 2 * 5 + 1);
  }
  check_clean();
}

TEST_CASE("what a destroyed connection had completed is nobody's") {
  fresh_pair();
  const test::ManualClock clock;
  {
    auto pair = connect(clock);
    REQUIRE(pair);
    REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, 1));
    pair->active.endpoint->destroy(pair->from);
    pair->passive.endpoint->destroy(pair->to);
    Diary diary;
    CHECK(pair->active.endpoint->poll(diary) == 1u);
    CHECK(pair->passive.endpoint->poll(diary) == 1u);
    CHECK(diary.entries.empty());
  }
  check_clean();
}

TEST_CASE("an event may destroy its own connection") {
  fresh_pair();
  const test::ManualClock clock;
  {
    auto pair = connect(clock);
    REQUIRE(pair);
    REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, 1));
    REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, 2));
    struct Destroyer final : RcEvents {
      explicit Destroyer(RcEndpoint& endpoint) : endpoint_(endpoint) {}
      void connected(RcConnectionId) override {}
      void sent(RcConnectionId, const Tick&) override {}
      void received(RcConnectionId id, std::uint64_t, const Tick&) override {
        ++seen;
        endpoint_.destroy(id);
      }
      void broken(RcConnectionId, const std::string&) override {}
      int seen = 0;

     private:
      RcEndpoint& endpoint_;
    } destroyer(*pair->passive.endpoint);
    CHECK(pair->passive.endpoint->poll(destroyer) == 2u);
    CHECK(destroyer.seen == 1);
  }
  check_clean();
}

TEST_CASE("a port has only so many connections, and places come back") {
  fresh_pair();
  const test::ManualClock clock;
  {
    auto node = Node::make("rxe0", clock, 2);
    REQUIRE(node);
    const auto first = node->endpoint->create({});
    REQUIRE(first);
    REQUIRE(node->endpoint->create({}));
    const auto third = node->endpoint->create({});
    REQUIRE_FALSE(third);
    CHECK(third.error().message() == "all connections of this port are in use");
    CHECK(node->endpoint->connection_of(first->local.qpn) == first->id);
    node->endpoint->destroy(first->id);
    CHECK(node->endpoint->connection_of(first->local.qpn) == 0);
    const auto again = node->endpoint->create({});
    REQUIRE(again);
    CHECK(again->id != first->id);
  }
  check_clean();
}

TEST_CASE("the send queue of a connection is short") {
  fresh_pair();
  const test::ManualClock clock;
  {
    auto pair = connect(clock);
    REQUIRE(pair);
    auto& endpoint = *pair->active.endpoint;
    REQUIRE(endpoint.post(pair->from, RcOperation::kSend, 1));
    REQUIRE(endpoint.post(pair->from, RcOperation::kSend, 2));
    CHECK(endpoint.post(pair->from, RcOperation::kSend, 3).error().message() ==
          "the send queue is full");
    Diary diary;
    CHECK(endpoint.poll(diary) == 2u);
    CHECK(endpoint.post(pair->from, RcOperation::kSend, 3));
  }
  check_clean();
}

TEST_CASE("one-sided operations reach a buffer that exists for that connection alone") {
  FakeVerbs& fake = fresh_pair();
  fake.expect_remote_access();
  const test::ManualClock clock;
  const RcOperation operation = GENERATE(RcOperation::kWrite, RcOperation::kRead);
  const auto regions = [&] {
    const auto live = fake.live_objects();
    return std::count(live.begin(), live.end(), "mr");
  };
  {
    auto pair = connect(clock, {.operation = operation});
    REQUIRE(pair);
    CHECK(regions() == 3);
    Diary active;
    Diary passive;
    REQUIRE(pair->active.endpoint->post(pair->from, operation, 1));
    REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, 2));
    CHECK(pair->active.endpoint->poll(active) == 2u);
    CHECK(pair->passive.endpoint->poll(passive) == 1u);
    CHECK(active.entries == Entries{"sent 1", "sent 1"});
    CHECK(passive.entries == Entries{"received 1"});
    // Not the other operation.
    const auto other = operation == RcOperation::kRead ? RcOperation::kWrite : RcOperation::kRead;
    REQUIRE(pair->active.endpoint->post(pair->from, other, 1));
    CHECK(pair->active.endpoint->poll(active) == 1u);
    CHECK(active.entries.back() == "broken 1");
    pair->passive.endpoint->destroy(pair->to);
    CHECK(regions() == 2);
  }
  check_clean();
}

TEST_CASE("unreliable connections complete whether or not anything arrived") {
  FakeVerbs& fake = fresh_pair();
  const test::ManualClock clock;
  {
    auto pair = connect(clock, {.service = RcService::kUnreliable});
    REQUIRE(pair);
    Diary active;
    Diary passive;
    REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, 1));
    fake.set_filter([](const test::FakeDatagram&) { return false; });
    REQUIRE(pair->active.endpoint->post(pair->from, RcOperation::kSend, 2));
    CHECK(pair->active.endpoint->poll(active) == 2u);
    CHECK(pair->passive.endpoint->poll(passive) == 1u);
    CHECK(active.entries == Entries{"sent 1", "sent 1"});
    CHECK(passive.numbers == std::vector<std::uint64_t>{1});
  }
  check_clean();
}

TEST_CASE("the path MTU is the smaller of both, and new connections use the GID's new index") {
  FakeVerbs& fake = fresh_pair();
  const test::ManualClock clock;
  {
    auto pair = connect(clock);
    REQUIRE(pair);
    auto& endpoint = *pair->active.endpoint;
    const auto created = endpoint.create({});
    REQUIRE(created);
    RcParameters remote{.gid = gid("::ffff:10.0.0.2"), .qpn = 5, .psn = 1, .mtu_bytes = 4096};
    CHECK(endpoint.connect(created->id, remote));  // the fake refuses more than 1024
    endpoint.port_changed({.gid = {.index = 7, .gid = gid("::ffff:10.0.0.9"), .netdev = {}},
                           .lid = 3,
                           .mtu_bytes = 2048});
    const auto moved = endpoint.create({});
    REQUIRE(moved);
    CHECK(moved->local.gid == gid("::ffff:10.0.0.9"));
    CHECK(moved->local.lid == 3);
    CHECK(moved->local.mtu_bytes == 2048);
    remote.mtu_bytes = 1024;
    const auto refused = endpoint.connect(moved->id, remote);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message() ==
          "RC queue pair INIT to RTR, ah_attr.grh.sgid_index 7 is an empty slot: "
          "Invalid argument");
  }
  static_cast<void>(fake);
  check_clean();
}

TEST_CASE("whichever call fails while connecting, it is said and nothing is left over") {
  const test::ManualClock clock;
  const RcService service = GENERATE(RcService::kReliable, RcService::kUnreliable);
  int failures = 0;
  for (int n = 1; n < 200; ++n) {
    FakeVerbs& fake = fresh_pair();
    fake.expect_remote_access();
    fake.fail_nth(n, ENOMEM);
    {
      const auto operation =
          service == RcService::kReliable ? RcOperation::kRead : RcOperation::kSend;
      auto pair = connect(clock, {.operation = operation, .service = service});
      Diary diary;
      if (pair) {
        const auto sent = pair->active.endpoint->post(pair->from, RcOperation::kSend, 1);
        const auto polled = pair->active.endpoint->poll(diary);
        const auto received = pair->passive.endpoint->poll(diary);
        const auto armed = pair->active.endpoint->arm();
        const bool all_well = sent && polled && received && armed && diary.reasons.empty();
        CHECK(diary.entries.size() == (sent ? 2 : 0));
        if (fake.fault_used() && !all_well) ++failures;
      } else {
        CHECK(fake.fault_used());
        CHECK_FALSE(pair.error().message().empty());
        ++failures;
      }
    }
    INFO("call " << n);
    check_clean();
    if (!fake.fault_used()) {
      CHECK(failures == n - 1 - 2);  // each queue pair is tried once more without inline data
      return;
    }
  }
  FAIL("no end of calls");
}

namespace {

// A prober on one host and an acceptor on another, over the fake devices; the control channel is a
// function call.
struct Hosts {
  Hosts()
      : prober(
            {.nic = "a/rxe0", .epoch = 1}, [this] { return random += 77'777; }, clock),
        acceptor(
            {.epoch = 2}, [this] { return random += 99'999; }, clock),
        a(Node::make("rxe0", clock, 8)),
        b(Node::make("rxe1", clock, 64)) {
    prober.attach(a->endpoint.get());
    acceptor.attach(b->endpoint.get());
    prober.set_targets({{.peer = "b/rxe1", .hash = 0}});
  }
  void run_for(std::chrono::nanoseconds time) {
    for (const auto end = clock.steady() + time; clock.steady() < end; clock.advance(10ms)) {
      prober.work();
      acceptor.work();
      for (const RcRequest& request : prober.take_requests()) {
        const auto answer = acceptor.accept("a/rxe0", request.local);
        active_qpn = request.local.qpn;
        if (answer) passive_qpn = answer->qpn;
        prober.answered(request.id, answer);
      }
      static_cast<void>(a->endpoint->poll(prober));
      static_cast<void>(b->endpoint->poll(acceptor));
      for (const auto qpn : a->device->take_events(1).broken_qps) prober.qp_broken(qpn);
      for (const auto qpn : b->device->take_events(1).broken_qps) acceptor.qp_broken(qpn);
    }
  }
  [[nodiscard]] core::RcProbes probes() const {
    core::RcProbes filled;
    prober.fill(filled);
    return filled;
  }

  test::ManualClock clock;
  std::uint32_t random = 1;
  std::uint32_t active_qpn = 0;
  std::uint32_t passive_qpn = 0;
  RcProber prober;
  RcAcceptor acceptor;
  core::Result<Node> a;
  core::Result<Node> b;
};

}  // namespace

TEST_CASE("prober and acceptor over queue pairs: up, broken, up again, dropped when idle") {
  FakeVerbs& fake = fresh_pair();
  {
    Hosts hosts;
    hosts.run_for(30s);
    CHECK(hosts.probes().peers.at(0).up);
    CHECK(hosts.probes().arrived >= 29);
    CHECK(hosts.probes().sent == hosts.probes().arrived);
    CHECK(hosts.acceptor.connections() == 1);

    fake.set_filter([](const test::FakeDatagram&) { return false; });
    hosts.run_for(60s);
    CHECK_FALSE(hosts.probes().peers.at(0).up);
    CHECK(hosts.probes().peers.at(0).problem.find("transport retry counter exceeded") == 0);
    const auto rebuilds = hosts.probes().rebuilds[0];
    CHECK(rebuilds >= 4);
    CHECK(rebuilds <= 8);
    CHECK(hosts.probes().sent == hosts.probes().arrived + rebuilds);
    CHECK(hosts.probes().down_seconds == Approx(60).margin(2));

    fake.set_filter(nullptr);
    hosts.prober.retry_soon("b/rxe1");
    hosts.run_for(3s);
    CHECK(hosts.probes().peers.at(0).up);
    CHECK(hosts.acceptor.connections() <= 2);

    hosts.prober.set_targets({});
    hosts.run_for(91s);
    CHECK(hosts.acceptor.connections() == 0);
    const auto live = fake.live_objects();
    CHECK(std::count(live.begin(), live.end(), "qp") == 0);
  }
  check_clean();
}

TEST_CASE("an error of the passive queue pair shows at the prober") {
  FakeVerbs& fake = fresh_pair();
  {
    Hosts hosts;
    hosts.run_for(5s);
    fake.raise_qp("rxe1", IBV_EVENT_QP_FATAL, hosts.passive_qpn);
    hosts.run_for(10ms);
    CHECK(hosts.acceptor.connections() == 0);
    hosts.run_for(4s);
    CHECK(hosts.probes().rebuilds[0] == 1);
    CHECK(hosts.probes().peers.at(0).up);
    fake.raise_qp("rxe0", IBV_EVENT_QP_REQ_ERR, hosts.active_qpn);
    hosts.run_for(4s);
    CHECK(hosts.probes().rebuilds[1] == 1);
    CHECK(hosts.probes().peers.at(0).up);
  }
  check_clean();
}
