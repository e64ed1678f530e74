#include "agent/cli/capture_netlink.h"

#include <nlohmann/json.hpp>

#include "agent/cli/capture_json.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;

template <class T>
json optional_json(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

template <class T>
void read_optional(const json& object, const char* key, std::optional<T>& into) {
  if (const auto found = object.find(key); found != object.end() && !found->is_null()) {
    into = found->get<T>();
  }
}

std::string bytes_of(const json& object, const char* key) {
  return decode_bytes(object.at(key).get<std::string>());
}

json to_json(const host::NetlinkDevice& device) {
  return {{"index", device.index},
          {"name", encode_bytes(device.name)},
          {"ports", device.ports},
          {"firmware", encode_bytes(device.firmware)},
          {"node_guid", optional_json(device.node_guid)},
          {"sys_image_guid", optional_json(device.sys_image_guid)},
          {"node_type", optional_json(device.node_type)},
          {"protocol", std::string(core::protocol_name(device.protocol))}};
}

void from_json_value(const json& value, host::NetlinkDevice& device) {
  device.index = value.at("index").get<std::uint32_t>();
  device.name = bytes_of(value, "name");
  device.ports = value.at("ports").get<std::uint32_t>();
  device.firmware = bytes_of(value, "firmware");
  read_optional(value, "node_guid", device.node_guid);
  read_optional(value, "sys_image_guid", device.sys_image_guid);
  read_optional(value, "node_type", device.node_type);
  const std::string protocol = value.at("protocol").get<std::string>();
  for (int number = 0; number <= static_cast<int>(core::Protocol::kEfa); ++number) {
    const auto candidate = static_cast<core::Protocol>(number);
    if (core::protocol_name(candidate) == protocol) device.protocol = candidate;
  }
}

json to_json(const host::NetlinkPort& port) {
  return {{"number", port.number},
          {"state", optional_json(port.state)},
          {"physical_state", optional_json(port.physical_state)},
          {"cap_flags", optional_json(port.cap_flags)},
          {"subnet_prefix", optional_json(port.subnet_prefix)},
          {"lid", optional_json(port.lid)},
          {"sm_lid", optional_json(port.sm_lid)},
          {"lid_mask_count", optional_json(port.lid_mask_count)},
          {"netdev", encode_bytes(port.netdev)},
          {"netdev_index", optional_json(port.netdev_index)}};
}

void from_json_value(const json& value, host::NetlinkPort& port) {
  port.number = value.at("number").get<std::uint32_t>();
  read_optional(value, "state", port.state);
  read_optional(value, "physical_state", port.physical_state);
  read_optional(value, "cap_flags", port.cap_flags);
  read_optional(value, "subnet_prefix", port.subnet_prefix);
  read_optional(value, "lid", port.lid);
  read_optional(value, "sm_lid", port.sm_lid);
  read_optional(value, "lid_mask_count", port.lid_mask_count);
  port.netdev = bytes_of(value, "netdev");
  read_optional(value, "netdev_index", port.netdev_index);
}

json to_json(const host::NetlinkCounter& counter) {
  return {{"name", encode_bytes(counter.name)}, {"value", counter.value}};
}

void from_json_value(const json& value, host::NetlinkCounter& counter) {
  counter.name = bytes_of(value, "name");
  counter.value = value.at("value").get<std::uint64_t>();
}

json to_json(const core::ResourceCount& resource) {
  return {{"object", encode_bytes(resource.object)},
          {"current", resource.current},
          {"max", optional_json(resource.max)}};
}

void from_json_value(const json& value, core::ResourceCount& resource) {
  resource.object = bytes_of(value, "object");
  resource.current = value.at("current").get<std::uint64_t>();
  read_optional(value, "max", resource.max);
}

json to_json(const core::QueuePair& pair) {
  return {{"local_qpn", pair.local_qpn},
          {"remote_qpn", optional_json(pair.remote_qpn)},
          {"port", pair.port},
          {"type", pair.type},
          {"state", pair.state},
          {"rq_psn", optional_json(pair.rq_psn)},
          {"sq_psn", optional_json(pair.sq_psn)},
          {"pid", optional_json(pair.pid)},
          {"owner", encode_bytes(pair.owner)}};
}

void from_json_value(const json& value, core::QueuePair& pair) {
  pair.local_qpn = value.at("local_qpn").get<std::uint32_t>();
  read_optional(value, "remote_qpn", pair.remote_qpn);
  pair.port = value.at("port").get<std::uint32_t>();
  pair.type = value.at("type").get<int>();
  pair.state = value.at("state").get<int>();
  read_optional(value, "rq_psn", pair.rq_psn);
  read_optional(value, "sq_psn", pair.sq_psn);
  read_optional(value, "pid", pair.pid);
  pair.owner = bytes_of(value, "owner");
}

json to_json(const host::NetdevAddress& address) {
  return {{"netdev_index", address.index}, {"address", encode_bytes(address.text)}};
}

void from_json_value(const json& value, host::NetdevAddress& address) {
  address.index = value.at("netdev_index").get<std::uint32_t>();
  address.text = bytes_of(value, "address");
}

json to_json(bool value) { return value; }
void from_json_value(const json& value, bool& out) { out = value.get<bool>(); }

template <class T>
json to_json(const std::vector<T>& values) {
  json out = json::array();
  for (const T& value : values) out.push_back(to_json(value));
  return out;
}

template <class T>
void from_json_value(const json& value, std::vector<T>& out) {
  for (const json& item : value) from_json_value(item, out.emplace_back());
}

template <class T>
json answer_json(const host::CapturedAnswer<T>& answer) {
  if (answer.value) return {{"value", to_json(*answer.value)}};
  return {{"error", answer.error}};
}

template <class T>
void read_answer(const json& value, host::CapturedAnswer<T>& answer) {
  if (const auto found = value.find("value"); found != value.end()) {
    from_json_value(*found, answer.value.emplace());
  } else {
    answer.error = value.at("error").get<int>();
  }
}

template <class T>
json answers_json(const std::map<host::PortKey, host::CapturedAnswer<T>>& answers) {
  json out = json::array();
  for (const auto& [key, answer] : answers) {
    json item = answer_json(answer);
    item["device"] = key.first;
    item["port"] = key.second;
    out.push_back(std::move(item));
  }
  return out;
}

template <class T>
json answers_json(const std::map<std::uint32_t, host::CapturedAnswer<T>>& answers) {
  json out = json::array();
  for (const auto& [index, answer] : answers) {
    json item = answer_json(answer);
    item["device"] = index;
    out.push_back(std::move(item));
  }
  return out;
}

template <class T>
void read_answers(const json& list, std::map<host::PortKey, host::CapturedAnswer<T>>& answers) {
  for (const json& item : list) {
    const host::PortKey key(item.at("device").get<std::uint32_t>(),
                            item.at("port").get<std::uint32_t>());
    read_answer(item, answers[key]);
  }
}

template <class T>
void read_answers(const json& list, std::map<std::uint32_t, host::CapturedAnswer<T>>& answers) {
  for (const json& item : list) read_answer(item, answers[item.at("device").get<std::uint32_t>()]);
}

}  // namespace

json netlink_json(const host::CapturedNetlink& netlink) {
  return {{"devices", answer_json(netlink.devices)},
          {"netns_shared", answer_json(netlink.netns_shared)},
          {"ports", answers_json(netlink.ports)},
          {"statistics", answers_json(netlink.statistics)},
          {"resources", answers_json(netlink.resources)},
          {"queue_pairs", answers_json(netlink.queue_pairs)}};
}

json addresses_json(const CapturedAddresses& addresses) { return answer_json(addresses); }

CapturedAddresses read_addresses(const json& value) {
  CapturedAddresses addresses;
  read_answer(value, addresses);
  return addresses;
}

host::CapturedNetlink read_netlink(const json& value) {
  host::CapturedNetlink netlink;
  read_answer(value.at("devices"), netlink.devices);
  read_answer(value.at("netns_shared"), netlink.netns_shared);
  read_answers(value.at("ports"), netlink.ports);
  read_answers(value.at("statistics"), netlink.statistics);
  read_answers(value.at("resources"), netlink.resources);
  read_answers(value.at("queue_pairs"), netlink.queue_pairs);
  return netlink;
}

}  // namespace rdmadiag::cli
