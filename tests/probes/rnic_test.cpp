// Whole RNICs with their threads against each other, over the fake libibverbs.
#include <catch2/catch.hpp>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "agent/core/clock.h"
#include "agent/core/gid.h"
#include "probes/verbs/rnic.h"
#include "tests/support/fake_verbs_pair.h"
#include "tests/support/soon.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using rdmadiag::test::check_clean;
using rdmadiag::test::FakeVerbs;
using rdmadiag::test::fresh_pair;

namespace {

// Look-ups and devices have pauses of their own.
const auto eventually = [](const auto& condition) { return test::soon(condition, 30s); };

std::shared_ptr<const KeyRing> keys() {
  static const ProbeKey local = make_local_key();
  return std::make_shared<const KeyRing>(local);
}

struct Requests {
  std::mutex mutex;
  std::vector<RcRequest> list;
  std::vector<std::string> lookups;
  std::vector<PortChange> port_changes;
};

std::unique_ptr<Rnic> make_rnic(const std::string& device, std::uint32_t epoch,
                                std::shared_ptr<Requests> requests = std::make_shared<Requests>()) {
  RnicOptions options;
  options.host = "host";
  options.device.name = device;
  options.datagrams.epoch = epoch;
  options.connections.epoch = epoch;
  options.connections.interval = 20ms;
  options.acceptor.epoch = epoch;
  ProberUser::Wishes wishes;
  wishes.look_up = [requests](const std::vector<std::string>& peers) {
    const std::scoped_lock hold(requests->mutex);
    requests->lookups.insert(requests->lookups.end(), peers.begin(), peers.end());
  };
  wishes.connect = [requests](const std::vector<RcRequest>& fresh) {
    const std::scoped_lock hold(requests->mutex);
    requests->list.insert(requests->list.end(), fresh.begin(), fresh.end());
  };
  wishes.on_port_change = [requests](PortChange change) {
    const std::scoped_lock hold(requests->mutex);
    requests->port_changes.push_back(change);
  };
  return std::make_unique<Rnic>(std::move(options), keys(), random_from_system(),
                                std::make_shared<const core::SystemClock>(), std::move(wishes));
}

ProbeTarget target(const std::string& peer) {
  ProbeTarget probed;
  probed.peer = peer;
  probed.scope = core::ProbeScope::kSibling;
  probed.interval = 10ms;
  probed.own_host = true;
  return probed;
}

std::uint64_t count(const Rnic& rnic, core::ProbeOutcome outcome) {
  return rnic.snapshot().outcomes[static_cast<std::size_t>(outcome)];
}

}  // namespace

TEST_CASE("one RNIC probes another, and both end without leaving anything") {
  fresh_pair();
  {
    const auto a = make_rnic("rxe0", 0x11);
    const auto b = make_rnic("rxe1", 0x22);
    REQUIRE(eventually([&] { return a->snapshot().running && b->endpoint().qpn != 0; }));
    a->set_targets({target("host/rxe1")});
    a->set_peer("host/rxe1", b->endpoint().target(0x22), PeerReachability::kAnswers);
    CHECK(eventually([&] { return count(*a, core::ProbeOutcome::kOk) >= 20; }));
    CHECK(b->snapshot().responder.acks >= 20);
    CHECK(a->snapshot().peers.at(0).resolved);
  }
  check_clean();
}

TEST_CASE("a peer that is not known is asked for") {
  fresh_pair();
  {
    const auto requests = std::make_shared<Requests>();
    const auto a = make_rnic("rxe0", 0x11, requests);
    a->set_targets({target("host/rxe1")});
    CHECK(eventually([&] {
      const std::scoped_lock hold(requests->mutex);
      return requests->lookups == std::vector<std::string>{"host/rxe1"};
    }));
  }
  check_clean();
}

TEST_CASE("a connection is asked for, accepted and kept alive") {
  fresh_pair();
  {
    const auto requests = std::make_shared<Requests>();
    const auto a = make_rnic("rxe0", 0x11, requests);
    const auto b = make_rnic("rxe1", 0x22);
    REQUIRE(eventually([&] { return a->snapshot().running && b->snapshot().running; }));
    a->set_connections({{.peer = "host/rxe1", .hash = 1}});
    REQUIRE(eventually([&] {
      const std::scoped_lock hold(requests->mutex);
      return !requests->list.empty();
    }));
    const RcRequest request = requests->list.front();
    CHECK(request.peer == "host/rxe1");
    core::Result<RcParameters> answer;
    // On a busy machine the thread may not come to it within accept()'s second.
    REQUIRE(eventually([&] {
      answer = b->accept("host/rxe0", request.local);
      return answer.has_value();
    }));
    a->connection_answered(request.id, answer);
    CHECK(eventually([&] { return a->snapshot().rc.arrived >= 5; }));
    CHECK(a->snapshot().rc.peers.at(0).up);
  }
  check_clean();
}

TEST_CASE("a device that goes and comes back is opened again") {
  FakeVerbs& fake = fresh_pair();
  {
    const auto a = make_rnic("rxe0", 0x11);
    REQUIRE(eventually([&] { return a->snapshot().running; }));
    const std::uint32_t before = a->endpoint().qpn;
    fake.raise("rxe0", IBV_EVENT_DEVICE_FATAL);
    CHECK(eventually([&] { return a->endpoint().qpn != before && a->endpoint().qpn != 0; }));
    CHECK(eventually([&] { return a->snapshot().running; }));
  }
  check_clean();
}

TEST_CASE("a queue pair that failed is told of until there is another") {
  FakeVerbs& fake = fresh_pair();
  {
    const auto a = make_rnic("rxe0", 0x11);
    REQUIRE(eventually([&] { return a->snapshot().running; }));
    fake.raise_qp("rxe0", IBV_EVENT_QP_FATAL, a->endpoint().qpn);
    CHECK(eventually([&] { return a->endpoint().problem == "a queue pair failed"; }));
    CHECK(eventually([&] { return a->endpoint().problem.empty() && a->endpoint().qpn != 0; }));
  }
  check_clean();
}

TEST_CASE("how the port went up and down is told once") {
  FakeVerbs& fake = fresh_pair();
  const auto requests = std::make_shared<Requests>();
  {
    const auto a = make_rnic("rxe0", 0x11, requests);
    REQUIRE(eventually([&] { return a->snapshot().running && a->endpoint().qpn != 0; }));
    fake.raise_port("rxe0", IBV_EVENT_PORT_ERR, 1);
    fake.raise_port("rxe0", IBV_EVENT_PORT_ACTIVE, 2);
    fake.raise_port("rxe0", IBV_EVENT_PORT_ACTIVE, 1);
    CHECK(eventually([&] {
      const std::scoped_lock hold(requests->mutex);
      return requests->port_changes.size() >= 2;
    }));
  }
  // The prober and the responder hear of it both; only one tells.
  CHECK(requests->port_changes == std::vector{PortChange::kDown, PortChange::kUp});
  check_clean();
}

TEST_CASE("a port without a device says so") {
  fresh_pair();
  {
    const auto a = make_rnic("rxe7", 0x11);
    CHECK(eventually([&] { return a->snapshot().problem == "opening rxe7: No such device"; }));
    CHECK_FALSE(a->snapshot().running);
    CHECK_FALSE(a->accept("x/y", {}));
  }
  check_clean();
}

TEST_CASE("a flood of hostile datagrams gets no answer, and honest probes go on") {
  FakeVerbs& fake = fresh_pair();
  {
    const auto a = make_rnic("rxe0", 0x11);
    const auto b = make_rnic("rxe1", 0x22);
    REQUIRE(eventually([&] { return a->snapshot().running && b->endpoint().qpn != 0; }));
    std::mutex mutex;
    std::vector<test::FakeDatagram> seen;  // honest probes, to replay and to spoil
    std::uint64_t answers = 0;             // of the responder
    const std::uint32_t qpn = b->endpoint().qpn;
    fake.set_filter([&](const test::FakeDatagram& datagram) {
      const std::scoped_lock hold(mutex);
      if (datagram.target_qpn == qpn && seen.size() < 16) seen.push_back(datagram);
      if (datagram.source_qpn == qpn) ++answers;
      return true;
    });
    a->set_targets({target("host/rxe1")});
    a->set_peer("host/rxe1", b->endpoint().target(0x22), PeerReachability::kAnswers);
    REQUIRE(eventually([&] {
      const std::scoped_lock hold(mutex);
      return seen.size() == 16;
    }));
    std::mt19937 random(7);
    constexpr int kMessages = 20'000;
    int delivered = 0;
    for (int i = 0; i < kMessages; ++i) {
      test::FakeDatagram hostile;
      {
        const std::scoped_lock hold(mutex);
        hostile = seen[random() % seen.size()];
      }
      switch (i % 4) {
        case 0: break;  // replayed as it was
        case 1: hostile.payload[random() % 64] ^= std::byte{0x10}; break;
        case 2: hostile.payload.resize(random() % 64); break;
        default:
          hostile.payload.resize(random() % 256);
          for (std::byte& byte : hostile.payload) byte = static_cast<std::byte>(random());
      }
      delivered += fake.inject(hostile) ? 1 : 0;
    }
    CHECK(delivered > kMessages / 100);
    const std::uint64_t before = count(*a, core::ProbeOutcome::kOk);
    CHECK(eventually([&] { return count(*a, core::ProbeOutcome::kOk) >= before + 10; }));
    const core::ResponderCounts counts = b->snapshot().responder;
    CHECK(counts.replayed > 0);
    std::uint64_t rejected = 0;
    for (const std::uint64_t fault : counts.rejected) rejected += fault;
    CHECK(rejected > 0);
    a->set_targets({});
    const std::scoped_lock hold(mutex);
    CHECK(answers <= counts.acks + 100);  // those since it was counted; none for the hostile ones
    CHECK(answers < static_cast<std::uint64_t>(delivered));
  }
  fake.set_filter(nullptr);
  check_clean();
}

TEST_CASE("the protocol is what the port says, and before it is open what was known of it") {
  fresh_pair();
  {
    RnicOptions options;
    options.host = "host";
    options.device.name = "absent";
    options.protocol = core::Protocol::kIwarp;
    const auto make = [](RnicOptions with) {
      ProberUser::Wishes wishes;
      wishes.look_up = [](const std::vector<std::string>&) {};
      wishes.connect = [](const std::vector<RcRequest>&) {};
      return std::make_unique<Rnic>(std::move(with), keys(), random_from_system(),
                                    std::make_shared<const core::SystemClock>(), wishes);
    };
    CHECK(make(options)->endpoint().protocol == core::Protocol::kIwarp);
    options.device.name = "rxe0";
    const auto there = make(options);
    CHECK(eventually([&] { return there->endpoint().protocol == core::Protocol::kRoce; }));
  }
  check_clean();
}
