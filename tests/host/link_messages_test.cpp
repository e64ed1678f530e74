#include "agent/host/link_messages.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/decoder_check.h"

using namespace rdmadiag;
using namespace rdmadiag::host;
using nlohmann::json;

namespace {

std::optional<json> decoded(Bytes payload) {
  const auto l = decode_link(payload);
  if (!l) return std::nullopt;
  return json{{"index", l->index},
              {"name", l->name},
              {"up", l->up},
              {"carrier_up_count", test::maybe(l->carrier_up_count)},
              {"carrier_down_count", test::maybe(l->carrier_down_count)}};
}

}  // namespace

TEST_CASE("links are decoded") {
  constexpr std::size_t kHeader = 16;  // struct ifinfomsg
  const test::DecoderCheck check{.file = "link", .nests = {}, .header = kHeader};
  for (const char* name : {"up", "no_carrier", "admin_down", "old_kernel", "gone"})
    check(name, decoded);
}

TEST_CASE("a link message without a netdev is refused") {
  CHECK_FALSE(decode_link({}));
  CHECK_FALSE(decode_link(link_dump_request()));
}
