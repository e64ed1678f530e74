// What the ends of the benchmark say to each other survives the way, and nonsense is refused.
#include <catch2/catch.hpp>

#include "agent/core/gid.h"
#include "probes/bench/message.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;

namespace {

RcParameters an_end() {
  return {.gid = core::parse_gid("::ffff:10.0.0.1").value(),
          .lid = 7,
          .qpn = 0x11,
          .psn = 0x123456,
          .mtu_bytes = 1024,
          .operation = RcOperation::kWrite,
          .memory_address = 0xfedcba9876543210,
          .memory_key = 0x4711};
}

BenchOffer an_offer() {
  BenchOffer offer{.from = "n1/mlx5_0",
                   .device = "mlx5_1",
                   .protocol = core::Protocol::kInfiniband,
                   .plan = {},
                   .qkey = 0x01020304,
                   .reads = 16,
                   .ends = {an_end(), an_end()}};
  offer.plan = {.operation = RcOperation::kRead,
                .transport = BenchTransport::kUc,
                .largest = 65536,
                .pairs = 2,
                .depth = 32,
                .moderation = 7,
                .mtu = 2048,
                .inline_bytes = 12,
                .bidirectional = true,
                .events = true};
  return offer;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t found = text.find(what);
  REQUIRE(found != std::string::npos);
  return text.replace(found, what.size(), by);
}

}  // namespace

TEST_CASE("messages of the benchmark come back as they were") {
  CHECK(decode_bench_offer(encode_bench(an_offer())).value() == an_offer());
  BenchOffer plain = an_offer();
  plain.plan.inline_bytes.reset();
  plain.protocol = core::Protocol::kIwarp;
  CHECK(decode_bench_offer(encode_bench(plain)).value() == plain);

  const BenchAnswer answer{.run = "abc",
                           .device = "mlx5_1",
                           .placement = "CPUs 0-3",
                           .most_seconds = 30,
                           .qkey = 5,
                           .reads = 2,
                           .ends = {an_end()}};
  CHECK(decode_bench_answer(encode_bench(answer)).value() == answer);

  const BenchCommand command{.run = "abc",
                             .action = BenchAction::kEnd,
                             .metric = BenchMetric::kBandwidth,
                             .size = 64,
                             .limit = {.duration = std::chrono::seconds(2), .iterations = 9}};
  CHECK(decode_bench_command(encode_bench(command)).value() == command);

  const BenchReport report{
      .problem = "no",
      .received = 3,
      .sent = {.messages = 1, .bytes = 2, .seconds = 3.5, .average = 4, .peak = 5, .rate = 6}};
  CHECK(decode_bench_report(encode_bench(report)).value() == report);
}

TEST_CASE("what a peer sends is bounded") {
  const std::string offer = encode_bench(an_offer());
  CHECK_FALSE(decode_bench_offer(replaced(offer, "\"pairs\":2", "\"pairs\":65")));
  CHECK_FALSE(decode_bench_offer(replaced(offer, "\"pairs\":2", "\"pairs\":1")));
  CHECK_FALSE(decode_bench_offer(replaced(offer, "\"depth\":32", "\"depth\":9000")));
  CHECK_FALSE(decode_bench_offer(replaced(offer, "\"read\"", "\"atomic\"")));
  CHECK_FALSE(decode_bench_offer(replaced(offer, "\"inline\":12", "\"inline\":-1")));
  CHECK_FALSE(decode_bench_offer(replaced(offer, "65536", "99999999999")));
  CHECK_FALSE(decode_bench_offer(replaced(offer, "n1/mlx5_0", "")));
  CHECK_FALSE(decode_bench_offer("{"));
  CHECK_FALSE(decode_bench_command(R"({"action": "begin"})"));
  CHECK_FALSE(decode_bench_command(R"({"run": "a", "action": "explode"})"));
  CHECK_FALSE(
      decode_bench_command(R"({"run": "a", "action": "begin", "nanoseconds": 3600000000001})"));
}
