#include "agent/host/rdma_netlink_messages.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/decoder_check.h"

using namespace rdmadiag;
using namespace rdmadiag::host;
using nlohmann::json;
using test::maybe;

namespace {

const test::DecoderCheck kCheck{.file = "rdma", .nests = {15, 16, 19, 20, 52, 80, 81}};

json to_json(const NetlinkDevice& d) {
  return {{"index", d.index},
          {"name", d.name},
          {"ports", d.ports},
          {"firmware", d.firmware},
          {"node_guid", maybe(d.node_guid)},
          {"sys_image_guid", maybe(d.sys_image_guid)},
          {"node_type", maybe(d.node_type)},
          {"protocol", core::protocol_name(d.protocol)}};
}

json to_json(const NetlinkPort& p) {
  return {{"number", p.number},
          {"state", maybe(p.state)},
          {"physical_state", maybe(p.physical_state)},
          {"cap_flags", maybe(p.cap_flags)},
          {"subnet_prefix", maybe(p.subnet_prefix)},
          {"lid", maybe(p.lid)},
          {"sm_lid", maybe(p.sm_lid)},
          {"lid_mask_count", maybe(p.lid_mask_count)},
          {"netdev", p.netdev},
          {"netdev_index", maybe(p.netdev_index)}};
}

json to_json(const core::ResourceCount& r) {
  return {{"object", r.object}, {"current", r.current}, {"max", maybe(r.max)}};
}

json to_json(const NetlinkCounter& c) { return {{"name", c.name}, {"value", c.value}}; }

json to_json(const core::QueuePair& q) {
  return {{"local_qpn", q.local_qpn},
          {"remote_qpn", maybe(q.remote_qpn)},
          {"port", q.port},
          {"type", q.type},
          {"state", q.state},
          {"rq_psn", maybe(q.rq_psn)},
          {"sq_psn", maybe(q.sq_psn)},
          {"pid", maybe(q.pid)},
          {"owner", q.owner}};
}

json to_json(const RdmaEvent& e) {
  return {{"kind", static_cast<int>(e.kind)},
          {"device_index", maybe(e.device_index)},
          {"device", e.device},
          {"port", maybe(e.port)},
          {"netdev", e.netdev}};
}

json to_json(bool value) { return value; }

template <class T>
json to_json(const std::vector<T>& items) {
  json all = json::array();
  for (const T& item : items) all.push_back(to_json(item));
  return all;
}

template <class Decode>
void check_decoder(const char* name, Decode decode) {
  kCheck(name, [&](Bytes payload) -> std::optional<json> {
    const auto result = decode(payload);
    return result ? std::optional<json>(to_json(*result)) : std::nullopt;
  });
}

}  // namespace

TEST_CASE("devices are decoded") {
  check_decoder("get_mlx5", decode_device);
  check_decoder("get_rxe", decode_device);
}

TEST_CASE("ports are decoded") {
  check_decoder("port_ib", decode_port);
  check_decoder("port_roce", decode_port);
}

TEST_CASE("statistics, resources and queue pairs are decoded") {
  check_decoder("statistics_rxe", decode_port_statistics);
  check_decoder("statistics_odd_names", decode_port_statistics);
  check_decoder("resources", decode_resources);
  check_decoder("queue_pairs", decode_queue_pairs);
}

TEST_CASE("the namespace mode and events are decoded") {
  check_decoder("system_shared", decode_netns_shared);
  check_decoder("system_exclusive", decode_netns_shared);
  for (const char* name : {"event_registered", "event_unregistered", "event_netdev_attached",
                           "event_renamed", "event_unknown"})
    check_decoder(name, decode_event);
}

TEST_CASE("a reply without what makes it one is an error that says so") {
  const auto only_index = device_request(3);
  CHECK(decode_device(only_index).error().message() == "GET: netlink reply without a device");
  CHECK(decode_port(only_index).error().message() == "PORT_GET: netlink reply without a port");
  CHECK(decode_netns_shared(only_index).error().message() ==
        "SYS_GET: netlink reply without a namespace mode");
  CHECK(decode_port_statistics(only_index)->empty());
}

TEST_CASE("an item that lacks its value is left out, not made up") {
  constexpr std::uint16_t kTable = 80;
  constexpr std::uint16_t kEntry = 81;
  const auto nameless = PayloadWriter().u64(83, 7);
  const auto valueless = PayloadWriter().text(82, "a");
  const auto odd_size = PayloadWriter().text(82, "b").attribute(83, nameless.bytes().first(3));
  const auto whole = PayloadWriter().text(82, "c").u32(83, 9);
  const auto table = PayloadWriter()
                         .nest(kEntry, nameless)
                         .nest(kEntry, valueless)
                         .nest(kEntry, odd_size)
                         .nest(kEntry, whole);
  const auto counters = decode_port_statistics(PayloadWriter().nest(kTable, table).bytes());
  REQUIRE(counters);
  REQUIRE(counters->size() == 1);
  CHECK(counters->front().name == "c");
  CHECK(counters->front().value == 9);

  const auto no_count =
      PayloadWriter().nest(15, PayloadWriter().nest(16, PayloadWriter().text(17, "qp")));
  CHECK(decode_resources(no_count.bytes())->empty());
}

TEST_CASE("requests name device and port") {
  const auto bytes = port_request(7, 2);
  AttributeReader reader(bytes);
  const auto device = reader.next();
  const auto port = reader.next();
  CHECK((device->type == 1 && device->u32() == 7U));
  CHECK((port->type == 3 && port->u32() == 2U));
  CHECK_FALSE(reader.next());
}
