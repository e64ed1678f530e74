#include "agent/host/ethtool_messages.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agent/host/generic_netlink.h"
#include "tests/support/decoder_check.h"

using namespace rdmadiag;
using namespace rdmadiag::host;
using nlohmann::json;
using test::maybe;

namespace {

const test::DecoderCheck kCheck{.file = "ethtool", .nests = {}, .header = 4};

Bytes attributes_of(Bytes payload) {
  const auto message = decode_generic(payload);
  return message ? message->attributes : Bytes{};
}

json to_json(const std::vector<NamedCount>& counts) {
  json all = json::object();
  for (const NamedCount& count : counts) {
    CHECK_FALSE(all.contains(std::string(count.name)));
    all[std::string(count.name)] = count.value;
  }
  return all;
}

std::optional<json> linkmodes(Bytes payload) {
  const Bytes attributes = attributes_of(payload);
  core::LinkDetail link;
  if (!decode_linkmodes(attributes, link)) return std::nullopt;
  return json{{"autonegotiation", maybe(link.autonegotiation)},
              {"speed", maybe(link.speed_bits_per_second)},
              {"full_duplex", maybe(link.full_duplex)},
              {"lanes", maybe(link.lanes)}};
}

std::optional<json> linkstate(Bytes payload) {
  const Bytes attributes = attributes_of(payload);
  core::LinkDetail link;
  std::vector<NamedCount> counts;
  if (!decode_linkstate(attributes, link, counts)) return std::nullopt;
  return json{{"up", maybe(link.up)},
              {"extended_state", maybe(link.extended_state)},
              {"extended_substate", maybe(link.extended_substate)},
              {"counts", to_json(counts)}};
}

std::optional<json> pauses(Bytes payload) {
  const Bytes attributes = attributes_of(payload);
  std::vector<NamedCount> counts;
  const auto p = decode_pause(attributes, counts);
  if (!p) return std::nullopt;
  return json{{"autonegotiation", maybe(p->autonegotiation)},
              {"receive", maybe(p->receive)},
              {"transmit", maybe(p->transmit)},
              {"counts", to_json(counts)}};
}

std::optional<json> fec(Bytes payload) {
  const Bytes attributes = attributes_of(payload);
  std::vector<NamedCount> counts;
  const auto f = decode_fec(attributes, counts);
  if (!f) return std::nullopt;
  return json{{"automatic", maybe(f->automatic)},
              {"configured", f->configured},
              {"active", f->active},
              {"corrected_lanes", f->lanes.corrected_blocks},
              {"uncorrectable_lanes", f->lanes.uncorrectable_blocks},
              {"bit_lanes", f->lanes.corrected_bits},
              {"counts", to_json(counts)}};
}

std::optional<json> statistics(Bytes payload) {
  const Bytes attributes = attributes_of(payload);
  std::vector<NamedCount> counts;
  if (!decode_standard_stats(attributes, counts)) return std::nullopt;
  return to_json(counts);
}

std::optional<json> eeprom(Bytes payload) {
  const Bytes attributes = attributes_of(payload);
  const auto bytes = decode_module_eeprom(attributes, 3);
  if (!bytes) return std::nullopt;
  return json(*bytes);
}

}  // namespace

TEST_CASE("link modes and link state are decoded") {
  kCheck("linkmodes", linkmodes);
  kCheck("linkmodes_down", linkmodes);
  kCheck("linkstate_up", linkstate);
  kCheck("linkstate_down", linkstate);
}

TEST_CASE("pause and FEC are decoded with their statistics") {
  kCheck("pause", pauses);
  kCheck("pause_without_statistics", pauses);
  kCheck("fec", fec);
  kCheck("fec_total_only", fec);
}

TEST_CASE("standard statistics are decoded by group and number") {
  kCheck("statistics", statistics);
}

TEST_CASE("module bytes are as many as were asked for") {
  kCheck("module_eeprom", eeprom);
  const auto stored = test::netlink_case("ethtool", "module_eeprom");
  const Bytes attributes = decode_generic(stored.payload())->attributes;
  CHECK(decode_module_eeprom(attributes, 4).error().message() ==
        "MODULE_EEPROM_GET: fewer bytes than asked for");
  CHECK(decode_module_eeprom(attributes, 2)->size() == 2);
}

TEST_CASE("a FEC statistic of another size is not read beyond its end") {
  const std::vector<std::byte> nineteen(19, std::byte{1});
  const auto stats = PayloadWriter().attribute(2, nineteen);
  std::vector<NamedCount> counts;
  const auto f = decode_fec(PayloadWriter().nest(5, stats).bytes(), counts);
  REQUIRE(f);
  CHECK(counts.size() == 1);
  CHECK(f->lanes.corrected_blocks.size() == 1);
}

TEST_CASE("a count the driver left unset is absent") {
  std::vector<NamedCount> counts;
  const auto stats = PayloadWriter().u64(2, ~std::uint64_t{0}).u64(3, 4);
  REQUIRE(decode_pause(PayloadWriter().nest(5, stats).bytes(), counts));
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].name == "pause-rx-frames");
}

TEST_CASE("a family is known by its number and its groups") {
  const auto stored = test::netlink_case("ethtool", "family");
  const auto message = decode_generic(stored.payload());
  const auto family = decode_family(message->attributes);
  REQUIRE(family);
  CHECK(family->id == stored.expected["id"]);
  CHECK(family->group("monitor") == 7U);
  CHECK(family->group("other") == 9U);
  CHECK_FALSE(family->group("config"));
  CHECK_FALSE(decode_family({}));
  CHECK_FALSE(decode_generic(Bytes(stored.datagram).first(3)));
}

TEST_CASE("requests carry the netdev and what they ask for") {
  const auto request = ethtool_request("eth2");
  AttributeReader top(request.bytes());
  AttributeReader inner(top.next()->payload);
  CHECK(inner.next()->text() == "eth2");
  CHECK(inner.next()->u32() == 1U);  // compact bitsets
  const auto with_statistics = ethtool_request_with_statistics("eth2");
  AttributeReader outer(with_statistics.bytes());
  AttributeReader header(outer.next()->payload);
  CHECK(header.next()->text() == "eth2");
  CHECK(header.next()->u32() == 5U);  // compact bitsets, statistics

  const auto eeprom_request = module_eeprom_request(
      "eth2", {.i2c = 0x51, .page = 3, .bank = 1, .offset = 128, .length = 64});
  std::vector<std::uint64_t> numbers;
  CHECK(walk_attributes(eeprom_request.bytes(), [&](const Attribute& a) {
    if (const auto number = a.number(); number && a.type != 1) numbers.push_back(*number);
    return true;
  }));
  CHECK(numbers == std::vector<std::uint64_t>{128, 64, 3, 1, 0x51});
}
