#include "probes/discovery/dns_answer.h"

#include <catch2/catch.hpp>
#include <string_view>

using namespace rdmadiag::probes;
using Address = DnsAnswer::Address;

namespace {

// Put together by RFC 1035: one question for "x.", answers as given.
class Message {
 public:
  Message& answer(int type, unsigned ttl, std::string_view data) {
    ++answers_;
    records_ += std::string("\xc0\x0c", 2);  // the name of the question
    word(records_, static_cast<unsigned>(type));
    word(records_, 1);
    word(records_, ttl >> 16);
    word(records_, ttl & 0xffff);
    word(records_, static_cast<unsigned>(data.size()));
    records_ += data;
    return *this;
  }

  [[nodiscard]] std::string bytes() const {
    std::string out("\x12\x34\x81\x80\0\x01", 6);
    word(out, answers_);
    out += std::string("\0\0\0\0\x01x\0\0\x21\0\x01", 11);
    return out + records_;
  }

 private:
  static void word(std::string& out, unsigned value) {
    out += static_cast<char>(value >> 8);
    out += static_cast<char>(value & 0xff);
  }
  unsigned answers_ = 0;
  std::string records_;
};

rdmadiag::core::Result<DnsAnswer> parse(const std::string& bytes, DnsType type) {
  return parse_dns_answer({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()},
                          type);
}

std::string srv(int port, std::string_view target) {
  std::string data("\0\x01\0\x02", 4);
  data += static_cast<char>(port >> 8);
  data += static_cast<char>(port & 0xff);
  return data += target;
}

constexpr std::string_view kNode("\x04node\x02hq\0", 9);

}  // namespace

TEST_CASE("SRV records give host, port and the shortest time to live") {
  const auto answer =
      parse(Message().answer(33, 300, srv(10915, kNode)).answer(33, 60, srv(80, kNode)).bytes(),
            DnsType::kSrv);
  REQUIRE(answer);
  CHECK(answer->addresses == std::vector<Address>{{"node.hq", 10915}, {"node.hq", 80}});
  CHECK(answer->ttl == std::chrono::seconds(60));
}

TEST_CASE("addresses are written as in a URL") {
  const auto v4 =
      parse(Message().answer(1, 5, std::string_view("\xc0\0\x02\x01", 4)).bytes(), DnsType::kA);
  REQUIRE(v4);
  CHECK(v4->addresses == std::vector<Address>{{"192.0.2.1", 0}});
  const auto v6 =
      parse(Message()
                .answer(28, 5, std::string_view("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16))
                .bytes(),
            DnsType::kAaaa);
  REQUIRE(v6);
  CHECK(v6->addresses == std::vector<Address>{{"[2001:db8::1]", 0}});
}

TEST_CASE("records of other types are passed over, and none is an answer too") {
  const auto answer =
      parse(Message().answer(5, 1, kNode).answer(33, 300, srv(80, kNode)).bytes(), DnsType::kSrv);
  REQUIRE(answer);
  CHECK(answer->addresses.size() == 1);
  CHECK(answer->ttl == std::chrono::seconds(300));
  const auto none = parse(Message().bytes(), DnsType::kSrv);
  REQUIRE(none);
  CHECK(none->addresses.empty());
  CHECK_FALSE(none->ttl);
}

TEST_CASE("the root as a target means that there is no such service") {
  const auto answer =
      parse(Message().answer(33, 300, srv(80, std::string_view("\0", 1))).bytes(), DnsType::kSrv);
  REQUIRE(answer);
  CHECK(answer->addresses.empty());
}

TEST_CASE("a malformed answer is an error") {
  CHECK_FALSE(parse("", DnsType::kSrv));
  CHECK_FALSE(parse(Message().answer(1, 5, "abc").bytes(), DnsType::kA));
  CHECK_FALSE(parse(Message().answer(33, 5, srv(80, "")).bytes(), DnsType::kSrv));
  CHECK_FALSE(parse(Message().answer(33, 5, srv(80, "\x3fx")).bytes(), DnsType::kSrv));
  const std::string whole = Message().answer(33, 300, srv(80, kNode)).bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(parse(whole.substr(0, size), DnsType::kSrv));
  }
  // A name that points to itself must not be followed for ever.
  CHECK_FALSE(parse(Message().answer(33, 5, srv(80, std::string_view("\xc0\x25", 2))).bytes(),
                    DnsType::kSrv));
}
