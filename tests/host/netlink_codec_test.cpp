#include "agent/host/netlink_codec.h"

#include <catch2/catch.hpp>

#include "tests/support/netlink_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::host;
using test::netlink_case;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> all;
  for (const int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

}  // namespace

TEST_CASE("a datagram of several messages is walked to its end mark") {
  const auto stored = netlink_case("rdma", "get_dump");
  MessageReader reader(stored.datagram);
  CHECK(reader.next()->type == 5121);
  CHECK(reader.next()->type == 5121);
  const auto last = reader.next();
  REQUIRE(last);
  CHECK(last->type == 3);
  CHECK(decode_done(*last)->error_number == 0);
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.malformed());
}

TEST_CASE("a cut datagram never gives a part of a message") {
  const auto stored = netlink_case("rdma", "get_dump");
  const auto taken = test::lengths_taken(stored.datagram, [](Bytes cut) {
    MessageReader reader(cut);
    while (reader.next()) {
    }
    return !reader.malformed();
  });
  CHECK(taken.size() == 3);  // nothing, one message, two
}

TEST_CASE("lengths that lie end the walk") {
  const auto length = GENERATE(0, 1, 3, 5, 200);
  const auto bytes = bytes_of({length, 0, 1, 0});
  AttributeReader attributes(bytes);
  CHECK_FALSE(attributes.next());
  CHECK(attributes.malformed());

  auto message = std::vector<std::byte>(16);
  message[0] = static_cast<std::byte>(length);
  MessageReader messages(message);
  CHECK_FALSE(messages.next());
  CHECK(messages.malformed());
}

TEST_CASE("the kernel's error and its own words are read") {
  for (const char* name :
       {"error_extended", "error_whole_request", "error_plain", "acknowledgement"}) {
    INFO(name);
    const auto stored = netlink_case("rdma", name);
    MessageReader reader(stored.datagram);
    const auto verdict = decode_error(*reader.next());
    REQUIRE(verdict);
    CHECK(verdict->error_number == stored.expected["error_number"]);
    CHECK(verdict->text == stored.expected["text"].get<std::string>());
  }
}

TEST_CASE("error replies cut anywhere are errors or lose their text only") {
  const auto stored = netlink_case("rdma", "error_extended");
  const auto taken = test::lengths_taken(stored.payload(), [](Bytes cut) {
    const auto verdict = decode_error({2, 0x300, 1, 1, cut});
    return verdict && verdict->error_number == 22;
  });
  REQUIRE_FALSE(taken.empty());
  CHECK(taken.front() == 4);
  CHECK(taken.size() == stored.payload().size() - 4);
}

TEST_CASE("an impossible error code is refused") {
  const auto positive = bytes_of({5, 0, 0, 0});
  CHECK_FALSE(decode_error({2, 0, 1, 1, positive}));
  const auto lowest = bytes_of({0, 0, 0, 0x80});
  CHECK_FALSE(decode_error({2, 0, 1, 1, lowest}));
  const auto failed_dump = bytes_of({0xfb, 0xff, 0xff, 0xff});
  CHECK(decode_done({3, 0, 1, 1, failed_dump})->error_number == 5);
}

TEST_CASE("numbers of any width are read and narrowed only when they fit") {
  const auto value = [](std::initializer_list<int> bytes) {
    static std::vector<std::byte> kept;
    kept = bytes_of(bytes);
    return Attribute{1, kept};
  };
  CHECK(value({7}).number() == 7U);
  CHECK(value({1, 2}).number() == 0x201U);
  CHECK(value({0, 1, 0, 0}).u32() == 256U);
  CHECK_FALSE(value({0, 1, 0, 0}).u8());
  CHECK(value({255, 255, 255, 255, 255, 255, 255, 255}).number() == ~std::uint64_t{0});
  CHECK_FALSE(value({0, 0, 0, 0, 1, 0, 0, 0}).u32());
  CHECK_FALSE(value({1, 2, 3}).number());
  CHECK_FALSE(value({}).number());
}

TEST_CASE("text ends at the first NUL and at its bound") {
  const auto two = bytes_of({'a', 'b', 0, 'c'});
  CHECK(Attribute{1, two}.text() == "ab");
  CHECK(Attribute{1, Bytes(two).first(2)}.text() == "ab");
  CHECK(Attribute{1, {}}.text().empty());
  const std::vector<std::byte> endless(70000, std::byte{'x'});
  CHECK(Attribute{1, endless}.text().size() == kMaxNetlinkText);
}

TEST_CASE("what the writer writes the reader reads") {
  const auto writer = PayloadWriter()
                          .u8(1, 200)
                          .u16(2, 60000)
                          .u32(3, 4000000000U)
                          .u64(4, ~std::uint64_t{0})
                          .flag(5)
                          .text(6, "h1")
                          .nest(7, PayloadWriter().u8(8, 1).text(9, "inner"));
  CHECK(writer.bytes().size() % 4 == 0);
  std::vector<std::uint16_t> types;
  CHECK(walk_attributes(writer.bytes(), [&](const Attribute& a) {
    types.push_back(a.type);
    if (a.type == 1) CHECK(a.u8() == 200);
    if (a.type == 4) CHECK(a.number() == ~std::uint64_t{0});
    if (a.type == 6) CHECK(a.text() == "h1");
    if (a.type != 7) return true;
    return walk_attributes(a.payload, [](const Attribute& inner) {
      if (inner.type == 9) CHECK(inner.text() == "inner");
      return true;
    });
  }));
  CHECK(types == std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6, 7});
}
