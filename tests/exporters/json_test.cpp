#include "exporters/json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/exporters/full_host.h"

namespace rdmadiag::exporters {
namespace {

using Json = nlohmann::json;

Json rendered() {
  return Json::parse(render_json(test::full_host(), test::full_agent(), JsonLayout::kCompact));
}

std::string complaint_about(const Json& json) {
  const auto parsed = parse_json(json.dump());
  return parsed ? "" : parsed.error().message();
}

TEST_CASE("What was written reads back as the same") {
  const std::string text =
      render_json(test::full_host(), test::full_agent(), JsonLayout::kIndented);
  const auto parsed = parse_json(text);
  REQUIRE(parsed);
  CHECK(render_json(parsed->host, parsed->agent, JsonLayout::kIndented) == text);
  const auto& device = parsed->host.devices.at(0);
  REQUIRE(device.snapshot);
  CHECK(device.snapshot->name == "mlx5_0");
  CHECK(device.snapshot->sources.size() == 1);
  CHECK(device.snapshot->ports.at(0).counters.at(0).saturated());
  CHECK(device.snapshot->ports.at(0).counters.at(3).spec == nullptr);
  CHECK(device.snapshot->read_steady == test::full_host().devices[0].snapshot->read_steady);
  CHECK_FALSE(parsed->host.devices.at(1).snapshot);
  CHECK(parsed->host.devices.at(1).stuck);
}

TEST_CASE("Readers find names beside numbers, and nothing where nothing is known") {
  const Json json = rendered();
  CHECK(json["schema_version"] == 1);
  const Json& port = json["host"]["devices"][0]["ports"][0];
  CHECK(port["state_name"] == "ACTIVE");
  CHECK(port["gids"][0]["gid"] == "::ffff:10.0.0.1");
  CHECK(port["counters"][1]["metric"] == "rdma_port_rx_bytes_total");
  CHECK(port["counters"][1]["scale"] == 4);
  CHECK(port["counters"][3]["name"] == "new <b>\\xff");
  CHECK_FALSE(port["counters"][3].contains("metric"));
  CHECK_FALSE(json["host"]["devices"][1].contains("ports"));
  const Json empty = Json::parse(render_json({}, {}, JsonLayout::kCompact));
  CHECK(empty["host"]["devices"] == Json::array());
  CHECK_FALSE(empty["host"].contains("netns_shared"));
}

TEST_CASE("Values of 64 bits stay exact") {
  core::HostSnapshot host = test::full_host();
  auto device = *host.devices[0].snapshot;
  device.ports[0].counters[2].value = 18446744073709551615U;
  host.devices[0].snapshot = std::make_shared<const core::DeviceSnapshot>(device);
  const auto parsed = parse_json(render_json(host, {}, JsonLayout::kCompact));
  REQUIRE(parsed);
  CHECK(parsed->host.devices[0].snapshot->ports[0].counters[2].value == 18446744073709551615U);
}

TEST_CASE("What is wrong with another's snapshot is said with its place") {
  Json json = rendered();
  Json& port = json["host"]["devices"][0]["ports"][0];
  SECTION("type") {
    port["state"] = "ACTIVE";
    CHECK(complaint_about(json) == "snapshot: host.devices[0].ports[0].state: expected an integer");
  }
  SECTION("range") {
    port["number"] = -1;
    CHECK(complaint_about(json) == "snapshot: host.devices[0].ports[0].number: out of range");
  }
  SECTION("number beyond 32 bits") {
    port["lid"] = 4294967296;
    CHECK(complaint_about(json) == "snapshot: host.devices[0].ports[0].lid: out of range");
  }
  SECTION("GID") {
    port["gids"][0]["gid"] = "10.0.0.1";
    CHECK(complaint_about(json) ==
          "snapshot: host.devices[0].ports[0].gids[0].gid: expected a GID");
  }
  SECTION("time") {
    json["host"]["taken_at"] = "yesterday";
    CHECK(complaint_about(json) ==
          "snapshot: host.taken_at: expected a time such as 2026-01-01T00:00:00.000Z");
  }
  SECTION("source word") {
    port["counters"][0]["source"] = "elsewhere";
    CHECK(complaint_about(json) ==
          "snapshot: host.devices[0].ports[0].counters[0].source: unknown word");
  }
  SECTION("age") {
    json["host"]["devices"][0]["age_seconds"] = 1e300;
    CHECK(complaint_about(json) == "snapshot: host.devices[0].age_seconds: out of range");
  }
  SECTION("version") {
    json["schema_version"] = 2;
    CHECK(complaint_about(json) == "snapshot: schema_version 2 is not known, only 1");
  }
}

TEST_CASE("Words of a newer version do not make a snapshot unreadable") {
  Json json = rendered();
  json["host"]["devices"][0]["protocol"] = "warp";
  json["host"]["devices"][0]["issues"][0]["reason"] = "ebusy";
  json["host"]["devices"][0]["brand_new"] = 1;
  const auto parsed = parse_json(json.dump());
  REQUIRE(parsed);
  CHECK(parsed->host.devices[0].snapshot->protocol == core::Protocol::kUnknown);
  CHECK(parsed->host.devices[0].snapshot->issues[0].reason == core::IssueReason::kOther);
}

TEST_CASE("No text makes the reader fall over") {
  CHECK(parse_json("").error().message() == "snapshot: not a JSON object");
  CHECK(parse_json("[1]").error().message() == "snapshot: not a JSON object");
  CHECK(parse_json("{\"a\":\"\xff\"}").error().message() == "snapshot: not a JSON object");
  CHECK(parse_json("{}").error().message() == "snapshot: schema_version: missing");
  CHECK_FALSE(parse_json(std::string(1'000'000, '[')));
  CHECK(parse_json(std::string((std::size_t{16} << 20U) + 1, ' ')).error().message() ==
        "snapshot: longer than 16 MiB");
  std::string deep = "{\"schema_version\":1,\"host\":";
  for (int i = 0; i < 100; ++i) deep += "{\"host\":";
  deep += "1" + std::string(101, '}');
  CHECK(parse_json(deep).error().message() == "snapshot: not a JSON object");
}

TEST_CASE("Every prefix of a snapshot is refused without harm") {
  const std::string text = render_json(test::full_host(), test::full_agent(), JsonLayout::kCompact);
  std::size_t accepted = 0;
  for (std::size_t length = 0; length + 2 < text.size(); length += 37) {
    accepted += parse_json(std::string_view(text).substr(0, length)).has_value() ? 1 : 0;
  }
  CHECK(accepted == 0);
}

}  // namespace
}  // namespace rdmadiag::exporters
