#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <numeric>

#include "agent/core/gid.h"
#include "probes/verbs/device.h"
#include "probes/verbs/queue_pair.h"
#include "probes/verbs/ud_endpoint.h"
#include "tests/support/fake_verbs_pair.h"
#include "tests/support/manual_clock.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using rdmadiag::test::check_clean;
using rdmadiag::test::FakeVerbs;
using rdmadiag::test::fresh_pair;
using rdmadiag::test::gid;

namespace {

constexpr std::uint32_t kQkey = 0x12345;

struct Inbox final : UdEvents {
  struct Datagram {
    UdArrival arrival;
    std::vector<std::byte> payload;
  };
  void sent(const WorkId& id, bool success, const Tick& tick) override {
    completed.push_back({id, success});
    ticks.push_back(tick);
  }
  void received(const UdArrival& arrival) override {
    datagrams.push_back({arrival, {arrival.payload.begin(), arrival.payload.end()}});
  }
  void received_malformed() override { ++malformed; }

  std::vector<std::pair<WorkId, bool>> completed;
  std::vector<Tick> ticks;
  std::vector<Datagram> datagrams;
  int malformed = 0;
};

std::vector<std::byte> message() {
  std::vector<std::byte> bytes(64);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

struct Node {
  Device device;
  std::unique_ptr<UdEndpoint> endpoint;

  static core::Result<Node> make(const std::string& name, const core::Clock& clock,
                                 std::size_t queue_pairs = 1) {
    auto device = Device::open({.name = name, .node_guid = {}});
    if (!device) return tl::make_unexpected(device.error());
    const auto gids = device->gids(1);
    if (!gids) return tl::make_unexpected(gids.error());
    const auto choice = core::choose_gid(*gids, core::Protocol::kRoce);
    auto node = core::Result<Node>(Node{std::move(*device), nullptr});
    auto endpoint = UdEndpoint::create(node->device,
                                       {.gid = *choice.entry,
                                        .qkey = kQkey,
                                        .queue_pairs = queue_pairs,
                                        .sends = 8,
                                        .receives = 16,
                                        .addresses = 4},
                                       clock);
    if (!endpoint) return tl::make_unexpected(endpoint.error());
    node->endpoint = std::move(*endpoint);
    return node;
  }
  [[nodiscard]] UdAddress address(std::size_t qp = 0) const {
    return {.gid = endpoint->gid(), .lid = 0, .qpn = endpoint->qpn(qp), .qkey = kQkey};
  }
};

bool send(UdEndpoint& from, const UdAddress& to, std::uint16_t slot, std::size_t length = 64) {
  const auto bytes = message();
  return from.send(0, {.id = {WorkKind::kProbe, 7, slot},
                       .to = to,
                       .label = 3,
                       .traffic_class = 0x68,
                       .payload = bytes,
                       .length = length}) == Posted::kYes;
}

}  // namespace

TEST_CASE("a datagram goes from one endpoint to another") {
  FakeVerbs& fake = fresh_pair();
  const bool ipv6 = GENERATE(false, true);
  const std::uint32_t max_inline = GENERATE(0u, 64u);
  if (ipv6) {
    fake.reset();
    fake.add_device("rxe0", gid("2001:db8::1")).max_inline = max_inline;
    fake.add_device("rxe1", gid("2001:db8::2"));
  }
  const test::ManualClock clock;
  {
    auto a = Node::make("rxe0", clock);
    auto b = Node::make("rxe1", clock);
    REQUIRE(a);
    REQUIRE(b);
    Inbox sender;
    Inbox receiver;
    REQUIRE(send(*a->endpoint, b->address(), 5));
    CHECK(a->endpoint->poll(sender) == 1u);
    REQUIRE(b->endpoint->poll(receiver) == 1u);
    CHECK(sender.completed[0].first == WorkId{WorkKind::kProbe, 7, 5});
    CHECK(sender.completed[0].second);
    const auto& got = receiver.datagrams.at(0);
    CHECK(got.payload == message());
    CHECK(got.arrival.length == 64);
    CHECK(got.arrival.header.source == a->endpoint->gid());
    CHECK(got.arrival.header.destination == b->endpoint->gid());
    CHECK(got.arrival.header.traffic_class == 0x68);
    CHECK(got.arrival.source_qpn == a->endpoint->qpn(0));
    CHECK_FALSE(got.arrival.tick.device);
    CHECK(b->endpoint->poll(receiver) == 0u);
  }
  check_clean();
}

TEST_CASE("a padded datagram keeps its first 64 bytes and tells its length") {
  fresh_pair();
  const test::ManualClock clock;
  {
    auto a = Node::make("rxe0", clock);
    auto b = Node::make("rxe1", clock);
    Inbox receiver;
    REQUIRE(send(*a->endpoint, b->address(), 1, 1024));
    REQUIRE(b->endpoint->poll(receiver) == 1u);
    CHECK(receiver.datagrams[0].payload == message());
    CHECK(receiver.datagrams[0].arrival.length == 1024);
    Inbox sender;
    CHECK(a->endpoint->poll(sender) == 1u);
  }
  check_clean();
}

TEST_CASE("completions carry the device's counter where there is one") {
  FakeVerbs& fake = FakeVerbs::instance();
  fake.reset();
  fake.add_device("a", gid("::ffff:10.0.0.1")).timestamp_mask = 0xffffffffffff;
  fake.add_device("b", gid("::ffff:10.0.0.2"));
  const test::ManualClock clock;
  {
    auto a = Node::make("a", clock);
    auto b = Node::make("b", clock);
    CHECK(a->endpoint->device_clock().usable());
    CHECK_FALSE(b->endpoint->device_clock().usable());
    Inbox inbox;
    REQUIRE(send(*a->endpoint, a->address(), 1));
    REQUIRE(send(*a->endpoint, a->address(), 2));
    CHECK(a->endpoint->poll(inbox) == 4u);
    REQUIRE(inbox.ticks.size() == 2);
    CHECK(*inbox.ticks[1].device - *inbox.ticks[0].device == 2000);
    CHECK(inbox.datagrams[0].arrival.tick.device);
  }
  check_clean();
}

TEST_CASE("a full send queue is refused and drains") {
  fresh_pair();
  const test::ManualClock clock;
  {
    auto a = Node::make("rxe0", clock);
    auto b = Node::make("rxe1", clock);
    for (std::uint16_t i = 0; i < 8; ++i) REQUIRE(send(*a->endpoint, b->address(), i));
    CHECK_FALSE(send(*a->endpoint, b->address(), 8));
    CHECK(a->endpoint->last_error() == "the send queue is full");
    Inbox inbox;
    CHECK(a->endpoint->poll(inbox) == 8u);
    CHECK(send(*a->endpoint, b->address(), 8));
    CHECK_FALSE(a->endpoint->broken());
  }
  check_clean();
}

TEST_CASE("more datagrams than posted receives: the rest is dropped, receives come back") {
  fresh_pair();
  const test::ManualClock clock;
  {
    auto a = Node::make("rxe0", clock);
    auto b = Node::make("rxe1", clock);
    Inbox inbox;
    for (int round = 0; round < 10; ++round) {
      for (std::uint16_t i = 0; i < 20; ++i) {
        REQUIRE(send(*a->endpoint, b->address(), i));
        CHECK(a->endpoint->poll(inbox) == 1u);
      }
      CHECK(b->endpoint->poll(inbox) == 16u);
    }
    CHECK(inbox.datagrams.size() == 160);
  }
  check_clean();
}

TEST_CASE("address handles are kept, bounded, and outlive what they carry") {
  FakeVerbs& fake = fresh_pair();
  const test::ManualClock clock;
  const auto handles = [&] {
    const auto live = fake.live_objects();
    return std::count(live.begin(), live.end(), "ah");
  };
  {
    auto a = Node::make("rxe0", clock);
    UdAddress to{.gid = gid("::ffff:10.0.0.2"), .lid = 0, .qpn = 99, .qkey = 1};
    Inbox inbox;
    for (int i = 0; i < 3; ++i) REQUIRE(send(*a->endpoint, to, 1));
    CHECK(handles() == 1);
    for (std::uint8_t host = 10; host < 15; ++host) {
      to.gid[15] = host;
      REQUIRE(send(*a->endpoint, to, 1));
    }
    CHECK(handles() == 6);  // four kept; two more are on their way
    CHECK(a->endpoint->poll(inbox) == 8u);
    CHECK(handles() == 4);
    a->endpoint->forget_address(to.gid);
    CHECK(handles() == 3);
    core::GidEntry entry{.index = 1, .gid = a->endpoint->gid(), .type = {}, .netdev = {}};
    a->endpoint->move_gid(entry);
    CHECK(handles() == 3);
    entry.index = 5;
    a->endpoint->move_gid(entry);
    CHECK(handles() == 0);
  }
  check_clean();
}

TEST_CASE("an address that failed is not tried again at once") {
  FakeVerbs& fake = fresh_pair();
  test::ManualClock clock;
  {
    auto a = Node::make("rxe0", clock);
    auto b = Node::make("rxe1", clock);
    fake.fail_nth(1, ETIMEDOUT);
    CHECK_FALSE(send(*a->endpoint, b->address(), 1));
    CHECK(a->endpoint->last_error() == "ibv_create_ah for ::ffff:10.0.0.2: Connection timed out");
    CHECK_FALSE(send(*a->endpoint, b->address(), 1));
    clock.advance(std::chrono::seconds(1));
    CHECK(send(*a->endpoint, b->address(), 1));
  }
  check_clean();
}

TEST_CASE("devices are found by GUID before name") {
  FakeVerbs& fake = fresh_pair();
  const std::string guid = format_guid(0x0200000000000000);
  CHECK(guid == "0000:0000:0000:0002");
  {
    const auto renamed = Device::open({.name = "mlx5_7", .node_guid = guid});
    REQUIRE(renamed);
    CHECK(renamed->name() == "rxe1");
    const auto by_name = Device::open({.name = "rxe0", .node_guid = {}});
    REQUIRE(by_name);
    const auto zero = Device::open({.name = "rxe1", .node_guid = "0000:0000:0000:0000"});
    REQUIRE(zero);
    const auto gone = Device::open({.name = "rxe0", .node_guid = "0000:0000:0000:00ff"});
    REQUIRE_FALSE(gone);
    CHECK(gone.error().code.value() == ENODEV);
    CHECK(by_name->still_there());
    CHECK(by_name->query_port(1)->active_mtu_bytes == 1024);
    CHECK(by_name->query_port(2).error().message() == "querying port 2 of rxe0: Invalid argument");
  }
  static_cast<void>(fake);
  check_clean();
}

TEST_CASE("a device whose folder vanished is not there any more") {
  FakeVerbs& fake = fresh_pair();
  fake.add_device("rxe2", gid("::ffff:10.0.0.3")).path = "/nonexistent/uverbs2";
  {
    const auto device = Device::open({.name = "rxe2", .node_guid = {}});
    REQUIRE(device);
    CHECK_FALSE(device->still_there());
  }
  check_clean();
}

TEST_CASE("events of the device") {
  FakeVerbs& fake = fresh_pair();
  {
    const auto device = Device::open({.name = "rxe0", .node_guid = {}});
    REQUIRE(device);
    CHECK(device->take_events(1).port_changes.empty());
    fake.raise_port("rxe0", IBV_EVENT_PORT_ERR, 1);
    fake.raise_port("rxe0", IBV_EVENT_PORT_ACTIVE, 2);
    fake.raise("rxe1", IBV_EVENT_DEVICE_FATAL);
    DeviceEvents events = device->take_events(1);
    CHECK(events.port_changes == std::vector{PortChange::kDown});
    CHECK_FALSE(events.fatal);
    fake.raise_port("rxe0", IBV_EVENT_PORT_ACTIVE, 1);
    fake.raise_port("rxe0", IBV_EVENT_PORT_ERR, 1);
    fake.raise("rxe0", IBV_EVENT_CQ_ERR);
    fake.raise("rxe0", IBV_EVENT_DEVICE_FATAL);
    fake.raise("rxe0", IBV_EVENT_SRQ_ERR);
    events = device->take_events(1);
    CHECK(events.port_changes == std::vector{PortChange::kUp, PortChange::kDown});
    CHECK(events.queue_broken);
    CHECK(events.fatal);
    CHECK_FALSE(device->take_events(1).fatal);
  }
  check_clean();
}

namespace {

struct Connection {
  Device device;
  ProtectionDomain domain;
  core::Result<CompletionQueue> queue;
  CreatedQueuePair pair;

  static Connection make(const std::string& name) {
    auto device = Device::open({.name = name, .node_guid = {}});
    REQUIRE(device);
    ProtectionDomain domain(ibv_alloc_pd(device->context()));
    auto queue = CompletionQueue::create(*device, 16);
    auto pair = create_queue_pair(domain.get(), queue->get(), IBV_QPT_RC,
                                  {.sends = 4, .receives = 4, .inline_bytes = 64});
    REQUIRE(pair);
    REQUIRE(init_connected(pair->handle.get(), 1));
    return {std::move(*device), std::move(domain), std::move(queue), std::move(*pair)};
  }
};

}  // namespace

TEST_CASE("a connection that cannot be made says which attribute is at fault") {
  FakeVerbs& fake = fresh_pair();
  {
    Connection end = Connection::make("rxe0");
    RcLocal local{.port = 1, .gid_index = 1};
    RcRemote remote{.gid = gid("::ffff:10.0.0.2"), .qpn = 0x20, .psn = 1, .mtu_bytes = 1024};
    const auto error = [&] {
      const auto status = walk_connected(end.pair.handle.get(), end.device, local, remote);
      return status ? "connected" : status.error().message();
    };
    remote.mtu_bytes = 4096;
    CHECK(error() ==
          "RC queue pair INIT to RTR, path_mtu 4096: the port's active MTU is 1024: "
          "Invalid argument");
    remote.mtu_bytes = 1024;
    local.gid_index = 3;
    CHECK(error() ==
          "RC queue pair INIT to RTR, ah_attr.grh.sgid_index 3 is an empty slot: "
          "Invalid argument");
    local.gid_index = 1;
    remote.gid = gid("::ffff:10.9.9.9");
    CHECK(error() ==
          "RC queue pair INIT to RTR, ah_attr.grh.dgid ::ffff:10.9.9.9: no route or no "
          "neighbour: Network is unreachable");
    remote.gid = gid("::ffff:10.0.0.2");
    CHECK(error() == "connected");
    CHECK(error().find("RC queue pair INIT to RTR, one of ah_attr") == 0);
  }
  CHECK(fake.violations() == std::vector<std::string>{"wrong attribute mask"});
  CHECK(fake.live_objects().empty());
}

TEST_CASE("whichever call fails, it is said and nothing is left over") {
  const test::ManualClock clock;
  int failures = 0;
  int recovered = 0;
  for (int n = 1; n < 200; ++n) {
    FakeVerbs& fake = fresh_pair();
    fake.fail_nth(n, ENOMEM);
    {
      auto a = Node::make("rxe0", clock, 2);
      auto b = Node::make("rxe1", clock);
      Inbox inbox;
      if (a && b) {
        const auto sent = send(*a->endpoint, b->address(), 1);
        const auto polled = a->endpoint->poll(inbox);
        const auto received = b->endpoint->poll(inbox);
        const auto armed = a->endpoint->arm();
        const bool all_well = sent && polled && received && armed && !b->endpoint->broken();
        if (fake.fault_used() && all_well) ++recovered;
      } else {
        CHECK(fake.fault_used());
        CHECK_FALSE((a ? b.error() : a.error()).message().empty());
        ++failures;
      }
    }
    INFO("call " << n);
    check_clean();
    if (!fake.fault_used()) {
      CHECK(n > 60);  // 48 receives alone
      CHECK(failures > 60);
      CHECK(recovered == 3);  // each queue pair is tried once more without inline data
      return;
    }
  }
  FAIL("no end of calls");
}
