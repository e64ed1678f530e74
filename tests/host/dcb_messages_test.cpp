#include "agent/host/dcb_messages.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/decoder_check.h"

using namespace rdmadiag;
using namespace rdmadiag::host;
using nlohmann::json;
using test::maybe;

namespace {

constexpr std::size_t kHeader = 4;  // struct dcbmsg
const test::DecoderCheck kCheck{.file = "dcb", .nests = {13, 3}, .header = kHeader};

json to_json(const DcbReply& reply) {
  const core::DcbSnapshot& d = reply.dcb;
  json out = {{"mode", maybe(d.mode)},
              {"pfc_capable_classes", maybe(d.pfc_capable_classes)},
              {"pfc_delay", maybe(d.pfc_delay)},
              {"pfc_enabled", maybe(d.pfc_enabled)},
              {"requests", nullptr},
              {"indications", nullptr},
              {"ets", nullptr},
              {"buffer", nullptr},
              {"applications", json::array()},
              {"trust", nullptr},
              {"learnt", d.trust_learnt_from}};
  if (reply.counts) {
    out["requests"] = reply.counts->requests;
    out["indications"] = reply.counts->indications;
  }
  if (d.ets)
    out["ets"] = {{"willing", d.ets->willing},
                  {"capable", d.ets->capable_classes},
                  {"bandwidth", d.ets->bandwidth_percent},
                  {"algorithm", d.ets->algorithm},
                  {"traffic_class", d.ets->traffic_class}};
  if (d.buffer)
    out["buffer"] = {{"of_priority", d.buffer->buffer_of_priority},
                     {"sizes", d.buffer->size_bytes},
                     {"total", d.buffer->total_bytes}};
  for (const core::DcbApplication& a : d.applications)
    out["applications"].push_back({a.selector, a.protocol, a.priority});
  if (d.trust) out["trust"] = *d.trust == core::Trust::kDscp ? "dscp" : "pcp";
  return out;
}

std::optional<json> ieee(Bytes payload) {
  const auto reply = decode_dcb_ieee(payload);
  return reply ? std::optional<json>(to_json(*reply)) : std::nullopt;
}

std::optional<json> mode(Bytes payload) {
  const auto reply = decode_dcb_mode(payload);
  return reply ? std::optional<json>(*reply) : std::nullopt;
}

}  // namespace

TEST_CASE("PFC, ETS, buffers and the application table are decoded") {
  kCheck("full", ieee);
  kCheck("empty", ieee);
  kCheck("mode", mode);
}

TEST_CASE("the first selector of a trust table decides") {
  // The one decoder in which order means something.
  auto check = kCheck;
  check.nests = {13, 3, 11};
  check.order_matters = true;
  check("trust_table", ieee);
}

TEST_CASE("structs shorter than the kernel's are not read") {
  for (const std::uint16_t type : std::initializer_list<std::uint16_t>{1, 2, 10}) {
    const std::vector<std::byte> shorter(40, std::byte{0xff});
    const auto nest = PayloadWriter().attribute(type, shorter);
    PayloadWriter payload;
    payload.raw(Bytes(shorter).first(kHeader)).nest(13, nest);
    const auto reply = decode_dcb_ieee(payload.bytes());
    REQUIRE(reply);
    CHECK_FALSE(reply->counts);
    CHECK_FALSE(reply->dcb.pfc_enabled);
    CHECK_FALSE(reply->dcb.ets);
    CHECK_FALSE(reply->dcb.buffer);
  }
}

TEST_CASE("a reply without IEEE settings is an error") {
  CHECK(decode_dcb_ieee(dcb_request(21, "eth2")).error().message() ==
        "DCB: netlink reply without IEEE settings");
  CHECK_FALSE(decode_dcb_ieee({}));
  CHECK_FALSE(decode_dcb_mode(dcb_request(22, "eth2")));
}

TEST_CASE("trust is learnt from the application table on mlx5 and nowhere else") {
  core::DcbSnapshot with_dscp;
  with_dscp.applications = {{5, 26, 3}};
  core::DcbSnapshot without;
  without.applications = {{3, 4791, 3}};

  auto dcb = with_dscp;
  learn_trust("mlx5_core", dcb);
  CHECK(dcb.trust == core::Trust::kDscp);
  CHECK(dcb.trust_learnt_from == "dcb app table");
  dcb = without;
  learn_trust("mlx5_core", dcb);
  CHECK(dcb.trust == core::Trust::kPcp);
  dcb = with_dscp;
  learn_trust("bnxt_en", dcb);
  CHECK_FALSE(dcb.trust);
  CHECK(dcb.trust_learnt_from.empty());

  dcb = with_dscp;
  dcb.trust = core::Trust::kPcp;
  dcb.trust_learnt_from = "dcb trust table";
  learn_trust("mlx5_core", dcb);
  CHECK(dcb.trust == core::Trust::kPcp);
}
