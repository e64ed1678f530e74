// Against this machine's kernel; needs no privilege and no device.
#include "agent/host/netlink_socket.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

using namespace rdmadiag;
using namespace rdmadiag::host;
using namespace std::chrono_literals;

namespace {

NetlinkRequest family_request(const char* name) {
  const genlmsghdr header{CTRL_CMD_GETFAMILY, 1, 0};
  PayloadWriter writer;
  writer.raw(std::as_bytes(std::span(&header, 1)));
  if (name != nullptr) writer.text(CTRL_ATTR_FAMILY_NAME, name);
  return {.type = GENL_ID_CTRL,
          .dump = name == nullptr,
          .payload = {writer.bytes().begin(), writer.bytes().end()}};
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("requests and dumps are answered by the kernel") {
  NetlinkSocketPool pool(NETLINK_GENERIC);
  const auto one = pool.transact(family_request("nlctrl"));
  REQUIRE(one);
  CHECK(one->size() == 1);
  const auto all = pool.transact(family_request(nullptr));
  REQUIRE(all);
  CHECK(all->size() >= 1);
}

TEST_CASE("the kernel's refusal comes back as its errno, and the socket goes on") {
  NetlinkSocketPool pool(NETLINK_GENERIC);
  const auto before = pool.transact(family_request("nlctrl"));
  REQUIRE(before);
  const auto descriptors = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    const auto refused = pool.transact(family_request("rdmadiag-none"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == std::errc::no_such_file_or_directory);
    CHECK(pool.transact(family_request("nlctrl")));
  }
  CHECK(open_descriptors() == descriptors);
}

TEST_CASE("a protocol this kernel does not have is an error at the first request") {
  NetlinkSocketPool pool(31);
  const auto reply = pool.transact({.type = 16, .dump = false, .payload = {}});
  REQUIRE_FALSE(reply);
  CHECK(reply.error().code == std::errc::protocol_not_supported);
}

TEST_CASE("a request without an answer ends with a time-out") {
  // The kernel skips control messages and acknowledges only those that ask for it; a dump does not.
  NetlinkSocketPool pool(NETLINK_ROUTE, {.timeout = 20ms});
  const auto reply = pool.transact({.type = NLMSG_NOOP, .dump = true, .payload = {}});
  REQUIRE_FALSE(reply);
  CHECK(reply.error().code == std::errc::timed_out);
}

TEST_CASE("threads have a socket each") {
  NetlinkSocketPool pool(NETLINK_GENERIC);
  std::vector<int> good(4);
  {
    std::vector<std::jthread> threads;
    for (int& count : good)
      threads.emplace_back([&pool, &count] {
        for (int i = 0; i < 100; ++i)
          if (const auto reply = pool.transact(family_request("nlctrl"));
              reply && reply->size() == 1)
            ++count;
      });
  }
  CHECK(good == std::vector<int>(4, 100));
}
