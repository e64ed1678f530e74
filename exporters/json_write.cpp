#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "agent/core/gid.h"
#include "exporters/json.h"
#include "exporters/json_fields.h"
#include "exporters/utf8.h"

namespace rdmadiag::exporters {
namespace {

using Json = nlohmann::ordered_json;

// The writing side of json_fields.h: fills one object. What is not known is left out.
class Writer {
 public:
  template <class T>
  void field(const char* name, const T& value) {
    put(name, to_json(value));
  }

  template <class Enum, class Print, class Parse>
  void word(const char* name, Enum value, const Print& print, const Parse& /*parse*/) {
    object_[name] = std::string(print(value));
  }

  template <class Enum, class Print, class Parse>
  void optional_word(const char* name, const std::optional<Enum>& value, const Print& print,
                     const Parse& parse) {
    if (value) word(name, *value, print, parse);
  }

  void seconds(const char* name, std::chrono::nanoseconds value) {
    object_[name] = std::chrono::duration<double>(value).count();
  }
  void seconds(const char* name, const std::optional<std::chrono::nanoseconds>& value) {
    if (value) seconds(name, *value);
  }

  template <class Make>
  void derived(const char* name, const Make& make) {
    field(name, make());
  }

  void gid(const char* name, const core::Gid& value) { object_[name] = core::format_gid(value); }

  // Of any driver's row, `driver` says whose: the device's own may not be known.
  void counter_name(const char* name, const char* driver, const core::CounterSample& sample) {
    object_[name] = valid_utf8(sample.name());
    if (sample.spec != nullptr) field(driver, sample.spec->driver);
  }

  void errors(const char* name, const std::array<std::uint64_t, core::kIssueReasonCount>& counts) {
    Json reasons = Json::object();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto reason = core::reason_name(static_cast<core::IssueReason>(i));
      if (counts[i] > 0) reasons[std::string(reason)] = counts[i];
    }
    object_[name] = std::move(reasons);
  }

  void snapshot(const std::shared_ptr<const core::DeviceSnapshot>& device) {
    if (device) fields(*this, *device);
  }

  [[nodiscard]] Json take() { return std::move(object_); }

 private:
  static std::optional<Json> to_json(bool value) { return Json(value); }
  template <std::integral T>
  static std::optional<Json> to_json(T value) {
    return Json(value);
  }
  static std::optional<Json> to_json(double value) {
    if (!std::isfinite(value)) return std::nullopt;
    return Json(value);
  }
  static std::optional<Json> to_json(std::string_view value) {
    if (value.empty()) return std::nullopt;
    return Json(valid_utf8(value));
  }
  static std::optional<Json> to_json(core::SystemTime value) { return Json(format_time(value)); }
  template <class T>
  static std::optional<Json> to_json(const std::optional<T>& value) {
    return value ? to_json(*value) : std::nullopt;
  }
  template <class T>
  static std::optional<Json> to_json(const std::vector<T>& values) {
    Json array = Json::array();
    for (const auto& value : values) array.push_back(to_json(value).value_or(Json("")));
    return array;
  }
  template <class T, std::size_t N>
  static std::optional<Json> to_json(const std::array<T, N>& values) {
    return to_json(std::vector<T>(values.begin(), values.end()));
  }
  static std::optional<Json> to_json(const std::map<std::string, std::uint64_t>& values) {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[valid_utf8(key)] = value;
    return object;
  }
  template <class T>
  requires requires(Writer& writer, const T& value) { fields(writer, value); }
  static std::optional<Json> to_json(const T& value) {
    Writer writer;
    fields(writer, value);
    return writer.take();
  }

  void put(const char* name, std::optional<Json> value) {
    if (value) object_[name] = std::move(*value);
  }

  Json object_ = Json::object();
};

template <class T>
Json object_of(const T& value) {
  Writer writer;
  fields(writer, value);
  return writer.take();
}

std::string text_of(const Json& root, JsonLayout layout) {
  return root.dump(layout == JsonLayout::kIndented ? 1 : -1) + "\n";
}

}  // namespace

std::string render_json(const core::Diagnosis& diagnosis, JsonLayout layout) {
  Json root = object_of(diagnosis);
  root["schema_version"] = kSnapshotSchemaVersion;
  return text_of(root, layout);
}

std::string render_json(const EmbeddedText& runbook, JsonLayout layout) {
  const Json root = {{"schema_version", kSnapshotSchemaVersion},
                     {"rule", runbook.name},
                     {"runbook", runbook.text}};
  return text_of(root, layout);
}

std::string render_json(const core::HostSnapshot& host, const core::AgentStatus& agent,
                        JsonLayout layout) {
  Json root = Json::object();
  root["schema_version"] = kSnapshotSchemaVersion;
  root["agent"] = object_of(agent);
  root["host"] = object_of(host);
  return text_of(root, layout);
}

}  // namespace rdmadiag::exporters
