#include "agent/core/gid.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;

namespace {

GidEntry entry(int index, const char* text, GidType type = GidType::kRoceV2) {
  return {.index = index, .gid = parse_gid(text).value(), .type = type, .netdev = "eth0"};
}

int chosen(const std::vector<GidEntry>& entries, Protocol protocol = Protocol::kRoce) {
  const GidChoice choice = choose_gid(entries, protocol);
  return choice.entry ? choice.entry->index : -1;
}

}  // namespace

TEST_CASE("GIDs read from sysfs and print in the short form") {
  const auto gid = parse_gid("0000:0000:0000:0000:0000:ffff:0a00:0001");
  REQUIRE(gid);
  CHECK(format_gid(*gid) == "::ffff:10.0.0.1");
  CHECK(is_ipv4_mapped(*gid));
  CHECK_FALSE(parse_gid("10.0.0.1"));
  CHECK_FALSE(parse_gid(""));
  CHECK_FALSE(parse_gid(std::string(100, '0')));
  CHECK_FALSE(parse_gid("fe80::1%eth0"));
}

TEST_CASE("kinds of address") {
  CHECK(is_zero(parse_gid("::").value()));
  CHECK(is_link_local(parse_gid("fe80::1").value()));
  CHECK(is_link_local(parse_gid("febf::1").value()));
  CHECK_FALSE(is_link_local(parse_gid("fec0::1").value()));
  CHECK(is_link_local(parse_gid("::ffff:169.254.3.4").value()));
  CHECK(is_loopback(parse_gid("::1").value()));
  CHECK(is_loopback(parse_gid("::ffff:127.0.0.1").value()));
  CHECK_FALSE(is_loopback(parse_gid("::ffff:128.0.0.1").value()));
}

TEST_CASE("RoCE wants v2, IPv4 before global IPv6 before link-local") {
  CHECK(chosen({entry(0, "fe80::1"), entry(1, "2001:db8::1"), entry(2, "::ffff:10.0.0.1")}) == 2);
  CHECK(chosen({entry(0, "fe80::1"), entry(1, "2001:db8::1")}) == 1);
  CHECK(chosen({entry(0, "fe80::1", GidType::kRoceV1), entry(1, "fe80::1")}) == 1);
  CHECK(chosen({entry(3, "::ffff:10.0.0.1", GidType::kRoceV1), entry(0, "fe80::1")}) == 0);
}

TEST_CASE("the lowest index wins among equals, wherever it stands") {
  CHECK(chosen({entry(7, "::ffff:10.0.0.2"), entry(3, "::ffff:10.0.0.1")}) == 3);
}

TEST_CASE("no usable GID is said, not guessed") {
  CHECK(chosen({}) == -1);
  CHECK(chosen({entry(0, "fe80::1", GidType::kRoceV1)}) == -1);
  CHECK(chosen({entry(0, "::ffff:127.0.0.1"), entry(1, "::1")}) == -1);
  const GidChoice none = choose_gid({}, Protocol::kRoce);
  CHECK(none.reason.find("no RoCE v2 GID") == 0);
}

TEST_CASE("a link-local choice says so") {
  const std::vector<GidEntry> only = {entry(0, "fe80::1")};
  CHECK(choose_gid(only, Protocol::kRoce).reason.find("link-local") != std::string::npos);
}

TEST_CASE("InfiniBand takes the first GID though it is link-local") {
  CHECK(chosen({entry(1, "fec0::5", GidType::kIb), entry(0, "fe80::5", GidType::kIb)},
               Protocol::kInfiniband) == 0);
  CHECK(chosen({}, Protocol::kInfiniband) == -1);
}
