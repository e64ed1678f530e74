#include "agent/host/rdma_netlink.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>

#include "agent/host/rdma_netlink_messages.h"
#include "tests/support/fake_transport.h"
#include "tests/support/netlink_fixture.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using namespace rdmadiag::host;

namespace {

struct Setup {
  std::shared_ptr<test::FakeTransport> kernel = std::make_shared<test::FakeTransport>();
  RdmaNetlink rdma{kernel};

  void answer(std::uint16_t type, const char* name) {
    kernel->answer(type, test::netlink_case("rdma", name).datagram);
  }
};

}  // namespace

TEST_CASE("the device list is a dump") {
  Setup s;
  s.answer(kNldevGet, "get_dump");
  const auto devices = s.rdma.list_devices();
  REQUIRE(devices);
  REQUIRE(devices->size() == 2);
  CHECK((*devices)[1].name == "rxe0");
  CHECK(s.kernel->requests().front().dump);
}

TEST_CASE("questions about a device name it") {
  Setup s;
  s.answer(kNldevStatGet, "statistics_rxe");
  s.answer(kNldevResGet, "resources");
  s.answer(kNldevPortGet, "port_roce");
  s.answer(kNldevResQpGet, "queue_pairs");
  s.answer(kNldevSysGet, "system_shared");
  CHECK(s.rdma.port_statistics(7, 1)->size() == 15);
  CHECK(s.rdma.resources(7)->size() == 7);
  CHECK(s.rdma.port(7, 1)->netdev == "h1");
  CHECK(s.rdma.queue_pairs(7)->size() == 2);
  CHECK(s.rdma.netns_shared() == true);
  const auto& requests = s.kernel->requests();
  CHECK(requests[0].payload == port_request(7, 1));
  CHECK_FALSE(requests[0].dump);
  CHECK(requests[1].payload == device_request(7));
  CHECK(requests[3].dump);
}

TEST_CASE("queue pairs are named after the processes that own them") {
  test::SampleTree tree;
  const auto kernel = std::make_shared<test::FakeTransport>();
  kernel->answer(kNldevResQpGet, test::netlink_case("rdma", "queue_pairs").datagram);
  const auto nameless = RdmaNetlink(kernel).queue_pairs(7).value();
  const auto owned = std::find_if(nameless.begin(), nameless.end(),
                                  [](const core::QueuePair& pair) { return pair.pid.has_value(); });
  REQUIRE(owned != nameless.end());
  CHECK(owned->owner.empty());
  tree.write("proc/" + std::to_string(*owned->pid) + "/comm", "ib_send_bw\n");
  const auto named = RdmaNetlink(kernel, tree.proc().string()).queue_pairs(7).value();
  for (std::size_t i = 0; i < named.size(); ++i)
    CHECK(named[i].owner == (nameless[i].pid == owned->pid ? "ib_send_bw" : nameless[i].owner));
  REQUIRE(kernel->requests().size() == 2);
}

TEST_CASE("the kernel's errno reaches the caller") {
  Setup s;
  s.kernel->refuse(kNldevStatGet, EMSGSIZE);
  CHECK(s.rdma.port_statistics(0, 1).error().code.value() == EMSGSIZE);
  s.kernel->refuse(kNldevGet, EPROTONOSUPPORT);
  CHECK(s.rdma.list_devices().error().code.value() == EPROTONOSUPPORT);
}

TEST_CASE("an acknowledgement without a reply is an error") {
  Setup s;
  s.answer(kNldevStatGet, "acknowledgement");
  CHECK(s.rdma.port_statistics(0, 1).error().message() == "RDMA netlink request 5137: no reply");
}
