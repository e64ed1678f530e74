#include "agent/host/netlink_reply.h"

#include <linux/netlink.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

using namespace rdmadiag;
using namespace rdmadiag::host;

namespace {

constexpr std::uint32_t kSequence = 9;
constexpr std::uint16_t kType = 5121;

std::vector<std::byte> message(std::uint16_t type, std::vector<std::byte> payload,
                               std::uint16_t flags = NLM_F_MULTI,
                               std::uint32_t sequence = kSequence) {
  const nlmsghdr header{static_cast<std::uint32_t>(sizeof(nlmsghdr) + payload.size()), type, flags,
                        sequence, 0};
  std::vector<std::byte> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

std::vector<std::byte> code(int value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

const std::vector<std::byte> kEightBytes(8, std::byte{1});

}  // namespace

TEST_CASE("a dump over several datagrams is one reply") {
  ReplyCollector collector(kSequence, 1000);
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes)));
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes)));
  const auto verdict = collector.feed(message(NLMSG_DONE, code(0)));
  REQUIRE((verdict && *verdict));
  CHECK((*verdict)->error_number == 0);
  const auto reply = collector.take();
  REQUIRE(reply.size() == 2);
  CHECK(reply.type(1) == kType);
  CHECK(reply.payload(1).size() == 8);
}

TEST_CASE("a dump that changed while it was read is to be read again") {
  ReplyCollector collector(kSequence, 1000);
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes, NLM_F_MULTI | NLM_F_DUMP_INTR)));
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes)));
  CHECK((*collector.feed(message(NLMSG_DONE, code(0))))->error_number == EINTR);
}

TEST_CASE("an error in the middle ends the reply with its number") {
  ReplyCollector collector(kSequence, 1000);
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes)));
  CHECK((*collector.feed(message(NLMSG_ERROR, code(-EMSGSIZE), 0)))->error_number == EMSGSIZE);
  CHECK((*ReplyCollector(kSequence, 0).feed(message(NLMSG_DONE, code(-ENODEV))))->error_number ==
        ENODEV);
}

TEST_CASE("late replies to another request are passed over") {
  ReplyCollector collector(kSequence, 1000);
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes, 0, kSequence - 1)));
  CHECK_FALSE(*collector.feed(message(NLMSG_ERROR, code(-EIO), 0, kSequence - 1)));
  CHECK((*collector.feed(message(NLMSG_ERROR, code(0), 0)))->error_number == 0);
  CHECK(collector.take().size() == 0);
}

TEST_CASE("an endless dump is refused at its bound") {
  ReplyCollector collector(kSequence, 20);
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes)));
  CHECK_FALSE(*collector.feed(message(kType, kEightBytes)));
  const auto refused = collector.feed(message(kType, kEightBytes));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code.value() == EMSGSIZE);
}

TEST_CASE("a cut datagram breaks the conversation") {
  auto bytes = message(kType, kEightBytes);
  bytes.pop_back();
  CHECK_FALSE(ReplyCollector(kSequence, 1000).feed(bytes));
  CHECK_FALSE(ReplyCollector(kSequence, 1000).feed(message(NLMSG_OVERRUN, {})));
}
