#include "probes/discovery/etcd_codec.h"

#include <sodium.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

namespace rdmadiag::probes {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxId = 128;

std::string base64(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the terminator, which the length counts
  return text;
}

std::optional<std::string> unbase64(std::string_view text) {
  std::string bytes(text.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, nullptr,
                        sodium_base64_VARIANT_ORIGINAL) != 0) {
    return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

Json parse(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// Absent numbers are 0, as in the protocol buffers behind the gateway.
std::int64_t number(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) return 0;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (!value->is_string()) return 0;
  const auto& text = value->get_ref<const std::string&>();
  std::int64_t parsed = 0;
  std::from_chars(text.data(), text.data() + text.size(), parsed);
  return parsed;
}

bool flag(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::int64_t revision(const Json& object) {
  const Json* header = member(object, "header");
  return header == nullptr ? 0 : number(*header, "revision");
}

std::optional<std::string> bytes(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) return std::string();
  return value->is_string() ? unbase64(value->get_ref<const std::string&>()) : std::nullopt;
}

std::optional<EtcdEntry> entry(const Json& object) {
  auto key = bytes(object, "key");
  auto value = bytes(object, "value");
  if (!key || !value || key->empty()) return std::nullopt;
  return EtcdEntry{std::move(*key), std::move(*value)};
}

tl::unexpected<core::Error> malformed() { return core::fail("malformed answer of etcd"); }

std::optional<EtcdEvent> event(const Json& object) {
  const Json* kv = member(object, "kv");
  auto changed = kv == nullptr ? std::nullopt : entry(*kv);
  if (!changed) return std::nullopt;
  const Json* type = member(object, "type");
  return EtcdEvent{type != nullptr && *type == "DELETE", std::move(*changed)};
}

}  // namespace

std::string encode_lease_grant(std::chrono::seconds ttl) {
  return Json{{"TTL", ttl.count()}}.dump();
}

std::string encode_lease(std::int64_t lease) { return Json{{"ID", std::to_string(lease)}}.dump(); }

std::string encode_put(const EtcdEntry& entry, std::int64_t lease) {
  return Json{
      {"key", base64(entry.key)}, {"value", base64(entry.value)}, {"lease", std::to_string(lease)}}
      .dump();
}

std::string encode_range(std::string_view prefix) {
  return Json{{"key", base64(prefix)}, {"range_end", base64(prefix_end(prefix))}}.dump();
}

std::string encode_watch(std::string_view prefix, std::int64_t from_revision) {
  return Json{{"create_request",
               {{"key", base64(prefix)},
                {"range_end", base64(prefix_end(prefix))},
                {"start_revision", std::to_string(from_revision)}}}}
      .dump();
}

core::Result<std::int64_t> decode_lease_grant(std::string_view json) {
  const std::int64_t lease = number(parse(json), "ID");
  if (lease == 0) return malformed();
  return lease;
}

core::Result<bool> decode_keep_alive(std::string_view json) {
  const Json document = parse(json);
  const Json* result = member(document, "result");
  if (result == nullptr) return malformed();
  return number(*result, "TTL") > 0;
}

core::Result<EtcdRange> decode_range(std::string_view json) {
  const Json document = parse(json);
  EtcdRange range{revision(document), {}};
  if (range.revision <= 0) return malformed();
  const Json* kvs = member(document, "kvs");
  if (kvs == nullptr) return range;
  if (!kvs->is_array()) return malformed();
  for (const Json& item : *kvs) {
    auto one = entry(item);
    if (!one) return malformed();
    range.entries.push_back(std::move(*one));
  }
  return range;
}

core::Result<EtcdChanges> decode_changes(std::string_view json) {
  const Json document = parse(json);
  if (const Json* error = member(document, "error"); error != nullptr) {
    const Json* message = member(*error, "message");
    return core::fail("etcd: " + (message != nullptr && message->is_string()
                                      ? message->get<std::string>().substr(0, 200)
                                      : std::string("error")));
  }
  const Json* result = member(document, "result");
  if (result == nullptr) return malformed();
  EtcdChanges changes;
  changes.revision = revision(*result);
  changes.lost = flag(*result, "canceled") || number(*result, "compact_revision") > 0;
  const Json* events = member(*result, "events");
  if (events == nullptr) return changes;
  if (!events->is_array()) return malformed();
  for (const Json& item : *events) {
    auto one = event(item);
    if (!one) return malformed();
    changes.events.push_back(std::move(*one));
  }
  return changes;
}

std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) return std::string(1, '\0');
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

std::string encode_registration(const Peer& peer) {
  Json labels = Json::object();
  for (const auto& [name, value] :
       {std::pair{"leaf", &peer.leaf}, {"rail", &peer.rail}, {"pod", &peer.pod}}) {
    if (!value->empty()) labels[name] = *value;
  }
  return Json{{"address", peer.address}, {"labels", labels}}.dump(-1, ' ', false,
                                                                  Json::error_handler_t::replace);
}

std::optional<Peer> decode_registration(std::string_view id, std::string_view json) {
  const Json document = parse(json);
  const Json* address = member(document, "address");
  if (address == nullptr || !address->is_string() || id.empty() || id.size() > kMaxId) {
    return std::nullopt;
  }
  auto parsed = parse_peer_address(address->get_ref<const std::string&>());
  Peer peer;
  if (!parsed || !set_peer_label(peer, "instance", id)) return std::nullopt;
  peer.address = std::move(*parsed);
  const Json* labels = member(document, "labels");
  if (labels == nullptr || !labels->is_object()) return peer;
  for (const auto& [name, value] : labels->items()) {
    if (name == "instance" || !value.is_string()) continue;
    if (!set_peer_label(peer, name, value.get_ref<const std::string&>())) return std::nullopt;
  }
  return peer;
}

}  // namespace rdmadiag::probes
