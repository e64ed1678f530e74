#include "probes/verbs/rc_cm.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "agent/core/gid.h"
#include "probes/rc_acceptor.h"
#include "probes/rc_prober.h"
#include "probes/verbs/rc_endpoint.h"
#include "tests/support/fake_rdma_cm.h"
#include "tests/support/fake_verbs_pair.h"
#include "tests/support/manual_clock.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using rdmadiag::test::check_clean;
using rdmadiag::test::FakeRdmaCm;
using rdmadiag::test::FakeVerbs;
using rdmadiag::test::gid;

namespace {

FakeVerbs& fresh() {
  FakeVerbs& fake = FakeVerbs::instance();
  fake.reset();
  FakeRdmaCm::instance().reset();
  // A MAC in front, as iWARP drivers have it.
  fake.add_device("siw0", gid("0200:0000:0001::")).transport = IBV_TRANSPORT_IWARP;
  fake.add_device("siw1", gid("0200:0000:0002::")).transport = IBV_TRANSPORT_IWARP;
  return fake;
}

core::Result<core::Gid> address_of(const core::Gid& mac) {
  core::Gid address = gid("::ffff:10.0.0.0");
  address[15] = mac[5];
  return address;
}

// A prober on one host and an acceptor on another; the control channel is a function call.
struct Hosts {
  struct Node {
    std::unique_ptr<Device> device;
    std::unique_ptr<RcEndpoint> endpoint;
  };
  explicit Hosts(AddressOfGid addresses = address_of)
      : prober(
            {.nic = "a/siw0", .epoch = 1, .traffic_class = 104},
            [this] { return random += 77'777; }, clock),
        acceptor(
            {.epoch = 2}, [this] { return random += 99'999; }, clock) {
    auto a_or_error = make("siw0", 8, addresses);
    auto b_or_error = make("siw1", 64, addresses);
    if (!a_or_error || !b_or_error) {
      error = (a_or_error ? b_or_error : a_or_error).error().message();
      return;
    }
    a = std::move(*a_or_error);
    b = std::move(*b_or_error);
    prober.attach(a.endpoint.get());
    acceptor.attach(b.endpoint.get());
    prober.set_targets({{.peer = "b/siw1", .hash = 0}});
  }
  ~Hosts() {
    prober.attach(nullptr);
    acceptor.attach(nullptr);
  }
  core::Result<Node> make(const std::string& name, std::size_t connections,
                          const AddressOfGid& addresses) {
    auto device = Device::open({.name = name, .node_guid = {}});
    if (!device) return tl::make_unexpected(device.error());
    auto owned = std::make_unique<Device>(std::move(*device));
    const auto gids = owned->gids(1);
    if (!gids) return tl::make_unexpected(gids.error());
    auto connector = CmConnector::create([this] { return random += 3; }, addresses);
    if (!connector) return tl::make_unexpected(connector.error());
    auto endpoint =
        RcEndpoint::create(*owned,
                           {.port = {.protocol = core::Protocol::kIwarp, .gid = gids->at(0)},
                            .max_connections = connections},
                           clock, std::move(*connector));
    if (!endpoint) return tl::make_unexpected(endpoint.error());
    return Node{std::move(owned), std::move(*endpoint)};
  }
  void run_for(std::chrono::nanoseconds time) {
    for (const auto end = clock.steady() + time; clock.steady() < end; clock.advance(10ms)) {
      prober.work();
      acceptor.work();
      for (const RcRequest& request : prober.take_requests()) {
        auto answer = acceptor.accept("a/siw0", request.local);
        if (answer) {
          last = *answer;
          answer->cm_token += token_error;
        }
        prober.answered(request.id, answer);
      }
      // Twice: what was sent back arrives at once.
      for (int i = 0; i < 2; ++i) {
        static_cast<void>(a.endpoint->poll(prober));
        static_cast<void>(b.endpoint->poll(acceptor));
      }
    }
  }
  [[nodiscard]] core::RcProbes probes() const {
    core::RcProbes filled;
    prober.fill(filled);
    return filled;
  }
  [[nodiscard]] core::RcPeer peer() const { return probes().peers.at(0); }

  test::ManualClock clock;
  std::uint32_t random = 1;
  std::uint64_t token_error = 0;
  RcParameters last;
  std::string error;
  RcProber prober;
  RcAcceptor acceptor;
  Node a;
  Node b;
};

}  // namespace

TEST_CASE("iWARP: connected by rdma_cm, and messages are sent back") {
  fresh();
  {
    Hosts hosts;
    REQUIRE(hosts.error.empty());
    hosts.run_for(20s);
    CHECK(hosts.peer().up);
    CHECK(hosts.probes().arrived >= 19);
    CHECK(hosts.probes().sent == hosts.probes().arrived);
    CHECK(hosts.acceptor.connections() == 1);
    CHECK(hosts.last.gid == gid("::ffff:10.0.0.2"));
    CHECK(hosts.last.cm_port >= 40'000);
    CHECK(hosts.last.cm_token != 0);
    CHECK(FakeRdmaCm::instance().traffic_class() == 104);
    std::vector<int> descriptors;
    hosts.a.endpoint->add_descriptors(descriptors);
    CHECK(descriptors.size() == 2);
  }
  check_clean();
}

TEST_CASE("iWARP: whoever does not know the token is turned away") {
  fresh();
  {
    Hosts hosts;
    hosts.run_for(5s);
    FakeRdmaCm::instance().call_as_stranger(hosts.last.cm_port, hosts.last.cm_token);  // in use
    FakeRdmaCm::instance().call_as_stranger(hosts.last.cm_port, 12345);
    FakeRdmaCm::instance().call_as_stranger(hosts.last.cm_port, 0);
    hosts.run_for(1s);
    CHECK(FakeRdmaCm::instance().rejected() == 3);
    CHECK(hosts.peer().up);
    hosts.token_error = 1;
    hosts.prober.broken(1, "broken by the test");
    hosts.run_for(2s);
    CHECK_FALSE(hosts.peer().up);
    CHECK(hosts.peer().problem == "connecting: RDMA_CM_EVENT_REJECTED (status 28)");
  }
  check_clean();
}

TEST_CASE("iWARP: a connection that ends is made anew") {
  fresh();
  {
    Hosts hosts;
    hosts.run_for(5s);
    FakeRdmaCm::instance().hang_up();
    hosts.run_for(10ms);
    CHECK(hosts.probes().rebuilds[0] == 1);
    CHECK(hosts.peer().problem.find("the peer hung up, ") == 0);
    CHECK(hosts.acceptor.connections() == 0);
    FakeRdmaCm::instance().set_unreachable(true);
    hosts.run_for(1s);
    CHECK(hosts.peer().problem == "connecting: RDMA_CM_EVENT_ADDR_ERROR: No route to host");
    FakeRdmaCm::instance().set_unreachable(false);
    hosts.run_for(4s);
    CHECK(hosts.peer().up);
  }
  check_clean();
}

TEST_CASE("iWARP: what cannot be done is said") {
  fresh();
  {
    Hosts hosts([](const core::Gid&) -> core::Result<core::Gid> {
      return core::fail("no network interface of this port");
    });
    hosts.run_for(1s);
    CHECK(hosts.peer().problem == "this host: no network interface of this port");
    const auto made = hosts.a.endpoint->create({.operation = RcOperation::kRead});
    REQUIRE_FALSE(made);
    CHECK(made.error().message() ==
          "over iWARP there are only SEND probes on reliable connections");
    CHECK_FALSE(hosts.a.endpoint->create({.service = RcService::kUnreliable}));
  }
  {
    Hosts hosts([](const core::Gid& mac) -> core::Result<core::Gid> {
      return mac[5] == 1 ? gid("2001:db8::1") : gid("::ffff:10.0.0.2");
    });
    hosts.run_for(1s);
    CHECK(hosts.peer().problem ==
          "connecting: one of both ends has only an IPv4 address, the other only an IPv6 one");
  }
  check_clean();
}

TEST_CASE("iWARP: the listener follows the port's address") {
  fresh();
  {
    std::uint8_t last_octet = 7;
    Hosts hosts([&](const core::Gid&) -> core::Result<core::Gid> {
      core::Gid address = gid("::ffff:10.0.0.0");
      address[15] = last_octet;
      return address;
    });
    hosts.run_for(2s);
    const auto first = hosts.last;
    last_octet = 8;
    hosts.prober.port_came_up();
    hosts.run_for(2s);
    CHECK(hosts.peer().up);
    CHECK(hosts.last.gid == gid("::ffff:10.0.0.8"));
    CHECK(hosts.last.cm_port != first.cm_port);
  }
  check_clean();
}

TEST_CASE("iWARP: whichever call fails, nothing is left over and it comes up in the end") {
  int failures = 0;
  for (int n = 1; n <= 60; ++n) {  // what comes later is of the steady state
    FakeVerbs& fake = fresh();
    fake.fail_nth(n, ENOMEM);
    {
      Hosts hosts;
      if (hosts.error.empty()) {
        hosts.run_for(300ms);
        if (!hosts.peer().up) ++failures;
        hosts.run_for(20s);
        CHECK(hosts.peer().up);
      } else {
        ++failures;
      }
    }
    INFO("call " << n);
    CHECK(fake.fault_used());
    check_clean();
  }
  CHECK(failures > 30);
}

namespace {

// What librdmacm has open of a device: two pipes, whose other ends tell when it is closed.
class OpenDevice {
 public:
  explicit OpenDevice(const std::string& folder) {
    std::snprintf(device_.dev_path, sizeof(device_.dev_path), "%s", folder.c_str());
    REQUIRE(::pipe2(commands_.data(), O_NONBLOCK | O_CLOEXEC) == 0);
    REQUIRE(::pipe2(events_.data(), O_NONBLOCK | O_CLOEXEC) == 0);
    context_.device = &device_;
    context_.cmd_fd = commands_[1];
    context_.async_fd = events_[1];
    FakeRdmaCm::instance().set_context(&context_);
  }
  ~OpenDevice() {
    FakeRdmaCm::instance().set_context(nullptr);
    for (const int fd : {commands_[0], commands_[1], events_[0], events_[1]}) ::close(fd);
  }
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;
  [[nodiscard]] int closed() const { return ended(commands_[0]) + ended(events_[0]); }

 private:
  static int ended(int fd) {
    char byte = 0;
    return ::read(fd, &byte, 1) == 0 ? 1 : 0;
  }
  ibv_device device_{};
  ibv_context context_{};
  std::array<int, 2> commands_{};
  std::array<int, 2> events_{};
};

}  // namespace

TEST_CASE("iWARP: what librdmacm has open of a device is closed when the device goes") {
  for (const bool goes : {false, true}) {
    fresh();
    std::string node = "/tmp/uverbs-XXXXXX";
    REQUIRE(::mkdtemp(node.data()) != nullptr);
    const OpenDevice open(node);
    {
      Hosts hosts;
      hosts.run_for(2s);
      CHECK(hosts.peer().up);
      if (goes) ::rmdir(node.c_str());
      CHECK(open.closed() == 0);
    }
    CHECK(open.closed() == (goes ? 2 : 0));
    ::rmdir(node.c_str());
    check_clean();
  }
}
