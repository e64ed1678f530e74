#include "agent/host/devlink_messages.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/decoder_check.h"

using namespace rdmadiag;
using namespace rdmadiag::host;
using nlohmann::json;
using test::maybe;
using test::netlink_case;

namespace {

constexpr std::size_t kHeader = 4;  // struct genlmsghdr
const test::DecoderCheck kCheck{.file = "devlink", .nests = {}, .header = kHeader};

Bytes attributes(Bytes payload) {
  return payload.size() < kHeader ? Bytes{} : payload.subspan(kHeader);
}

std::optional<json> reporter(Bytes payload) {
  const auto r = decode_health_reporter(attributes(payload));
  if (!r) return std::nullopt;
  return json{{"name", r->name},
              {"handle", r->handle},
              {"port_index", maybe(r->port_index)},
              {"state", maybe(r->state)},
              {"errors", maybe(r->errors)},
              {"recoveries", maybe(r->recoveries)},
              {"automatic_recovery", maybe(r->automatic_recovery)}};
}

std::optional<json> info(Bytes payload) {
  const auto i = decode_devlink_info(attributes(payload));
  if (!i) return std::nullopt;
  json versions = json::array();
  for (const core::FirmwareVersion& v : i->versions)
    versions.push_back(
        {{"name", v.name}, {"fixed", v.fixed}, {"running", v.running}, {"stored", v.stored}});
  return json{{"handle", i->handle},
              {"driver", i->driver},
              {"serial", i->serial_number},
              {"versions", versions}};
}

json to_json(const std::vector<DiagnosedValue>& values) {
  json all = json::array();
  for (const DiagnosedValue& v : values) all.push_back({v.object, v.name, v.value});
  return all;
}

// All messages of a stored diagnosis.
std::optional<json> diagnosis(const test::NetlinkCase& stored) {
  DiagnosisReader reader;
  MessageReader messages(stored.datagram);
  while (const auto message = messages.next())
    if (message->type >= 16 && !reader.feed(attributes(message->payload))) return std::nullopt;
  return to_json(reader.take());
}

PayloadWriter fmsg(const PayloadWriter& marks) { return PayloadWriter().nest(106, marks); }

}  // namespace

TEST_CASE("health reporters are decoded") {
  kCheck("reporter_healthy", reporter);
  kCheck("reporter_error", reporter);
  kCheck("reporter_of_port", reporter);
}

TEST_CASE("devlink's versions are joined by name") { kCheck("info", info); }

TEST_CASE("a reporter without a name or a device is refused") {
  const auto nameless = PayloadWriter().text(1, "pci").text(2, "0000:3b:00.0");
  CHECK_FALSE(decode_health_reporter(nameless.bytes()));
  const auto homeless = PayloadWriter().nest(114, PayloadWriter().text(115, "fw"));
  CHECK_FALSE(decode_health_reporter(homeless.bytes()));
  CHECK_FALSE(decode_devlink_info(PayloadWriter().text(1, "pci").bytes()));
}

TEST_CASE("a diagnosis is flattened, also when cut between messages in the middle of a pair") {
  for (const char* name : {"vnic", "vnic_cut", "mixed"}) {
    INFO(name);
    const auto stored = netlink_case("devlink", name);
    CHECK(diagnosis(stored) == stored.expected);
  }
}

TEST_CASE("a diagnosis cut within its bytes never gives values beyond the cut") {
  const auto stored = netlink_case("devlink", "vnic");
  const auto payload = stored.payload();
  const auto whole = stored.expected.size();
  (void)test::lengths_taken(payload, [&](Bytes cut) {
    DiagnosisReader reader;
    const bool good = reader.feed(attributes(cut)).has_value();
    CHECK(reader.take().size() <= whole);
    CHECK((!good || attributes(cut).empty()));
    return good;
  });
}

TEST_CASE("marks that do not match are refused") {
  DiagnosisReader stray_end;
  CHECK_FALSE(stray_end.feed(fmsg(PayloadWriter().flag(110)).bytes()));
  PayloadWriter deep;
  for (std::size_t i = 0; i <= DiagnosisReader::kMaxDepth; ++i) deep.flag(107);
  DiagnosisReader too_deep;
  CHECK_FALSE(too_deep.feed(fmsg(deep).bytes()));
}

TEST_CASE("values are bounded, and those without a name or a type are passed over") {
  DiagnosisReader reader;
  for (int round = 0; round < 3; ++round) {
    PayloadWriter part;
    part.flag(108).text(111, "n");
    for (int i = 0; i < 2000; ++i) part.u8(112, 1).u8(113, 9);
    CHECK(reader.feed(fmsg(part).bytes()));
  }
  CHECK(reader.take().size() == DiagnosisReader::kMaxValues);

  DiagnosisReader bare;
  CHECK(bare.feed(fmsg(PayloadWriter().u8(112, 1).u8(113, 9)).bytes()));
  CHECK(bare.feed(fmsg(PayloadWriter().flag(108).text(111, "n").u8(113, 9)).bytes()));
  CHECK(bare.take().empty());
}

TEST_CASE("a diagnosis is asked for by device, port and name") {
  const core::HealthReporter tx{.name = "tx",
                                .handle = "pci/0000:3b:00.0",
                                .port_index = 65535,
                                .state = {},
                                .errors = {},
                                .recoveries = {},
                                .automatic_recovery = {}};
  const auto request = reporter_request(tx);
  AttributeReader reader(request.bytes());
  CHECK(reader.next()->text() == "pci");
  CHECK(reader.next()->text() == "0000:3b:00.0");
  CHECK(reader.next()->u32() == 65535U);
  const auto name = reader.next();
  CHECK(name->type == 115);
  CHECK(name->text() == "tx");
}
