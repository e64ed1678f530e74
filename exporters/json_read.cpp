#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/core/gid.h"
#include "exporters/json.h"
#include "exporters/json_fields.h"
#include "exporters/utf8.h"

namespace rdmadiag::exporters {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxText = std::size_t{16} << 20U;
constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxElements = 100'000;  // of one array

// The first thing found wrong; what follows is not looked at any more.
class Complaint {
 public:
  void raise(std::string what) {
    if (what_.empty()) what_ = std::move(what);
  }
  [[nodiscard]] const std::string& what() const { return what_; }
  [[nodiscard]] bool raised() const { return !what_.empty(); }

 private:
  std::string what_;
};

// The reading side of json_fields.h: fills a struct from one object.
class Reader {
 public:
  Reader(const Json& object, std::string path, Complaint& complaint)
      : object_(object), path_(std::move(path)), complaint_(complaint) {}

  template <class T>
  void field(const char* name, T& value) {
    if (const Json* given = find(name)) read(*given, value, at(name));
  }

  template <class Enum, class Print, class Parse>
  void word(const char* name, Enum& value, const Print& /*print*/, const Parse& parse) {
    std::string text;
    field(name, text);
    if (text.empty()) return;
    if constexpr (std::is_same_v<decltype(parse(text)), Enum>) {
      value = parse(text);
    } else if (const auto parsed = parse(text)) {
      value = *parsed;
    } else {
      complaint_.raise(at(name) + ": unknown word");
    }
  }

  template <class Enum, class Print, class Parse>
  void optional_word(const char* name, std::optional<Enum>& value, const Print& print,
                     const Parse& parse) {
    if (find(name) != nullptr) word(name, value.emplace(), print, parse);
  }

  void seconds(const char* name, std::chrono::nanoseconds& value) {
    double count = 0;
    field(name, count);
    if (std::abs(count) > kMaxSeconds) return complaint_.raise(at(name) + ": out of range");
    value =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(count));
  }
  void seconds(const char* name, std::optional<std::chrono::nanoseconds>& value) {
    if (find(name) != nullptr) seconds(name, value.emplace());
  }

  template <class Make>
  void derived(const char* /*name*/, const Make& /*make*/) {}

  void gid(const char* name, core::Gid& value) {
    std::string text;
    field(name, text);
    const auto parsed = core::parse_gid(text);
    if (!parsed) return complaint_.raise(at(name) + ": expected a GID");
    value = *parsed;
  }

  void counter_name(const char* name, const char* driver, core::CounterSample& sample) {
    std::string row_driver;
    field(name, sample.unknown_name);
    field(driver, row_driver);
    if (sample.unknown_name.empty()) return complaint_.raise(at(name) + ": missing");
    sample.spec = core::find_counter(sample.source, row_driver, sample.unknown_name);
    if (sample.spec != nullptr) sample.unknown_name.clear();
  }

  void errors(const char* name, std::array<std::uint64_t, core::kIssueReasonCount>& counts) {
    std::map<std::string, std::uint64_t> reasons;
    field(name, reasons);
    for (const auto& [word, count] : reasons) {
      counts[static_cast<std::size_t>(reason_of(word))] = count;
    }
  }

  void snapshot(std::shared_ptr<const core::DeviceSnapshot>& device) {
    if (find("ports") == nullptr) return;
    auto read_device = std::make_shared<core::DeviceSnapshot>();
    fields(*this, *read_device);
    device = std::move(read_device);
  }

 private:
  static constexpr double kMaxSeconds = 4e9;

  [[nodiscard]] std::string at(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }

  [[nodiscard]] const Json* find(const char* name) const {
    if (complaint_.raised()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  void read(const Json& given, bool& value, const std::string& where) {
    if (!given.is_boolean()) return complaint_.raise(where + ": expected true or false");
    value = given.get<bool>();
  }

  template <std::integral T>
  void read(const Json& given, T& value, const std::string& where) {
    if (!given.is_number_integer()) return complaint_.raise(where + ": expected an integer");
    const bool fits = given.is_number_unsigned() ? std::in_range<T>(given.get<std::uint64_t>())
                                                 : std::in_range<T>(given.get<std::int64_t>());
    if (!fits) return complaint_.raise(where + ": out of range");
    value = given.get<T>();
  }

  void read(const Json& given, double& value, const std::string& where) {
    if (!given.is_number()) return complaint_.raise(where + ": expected a number");
    value = given.get<double>();
  }

  void read(const Json& given, std::string& value, const std::string& where) {
    if (!given.is_string()) return complaint_.raise(where + ": expected a string");
    value = given.get<std::string>();
  }

  void read(const Json& given, core::SystemTime& value, const std::string& where) {
    std::string text;
    read(given, text, where);
    const auto parsed = parse_time(text);
    if (!parsed)
      return complaint_.raise(where + ": expected a time such as 2026-01-01T00:00:00.000Z");
    value = *parsed;
  }

  template <class T>
  void read(const Json& given, std::optional<T>& value, const std::string& where) {
    read(given, value.emplace(), where);
  }

  template <class T>
  void read(const Json& given, std::vector<T>& values, const std::string& where) {
    if (!given.is_array()) return complaint_.raise(where + ": expected an array");
    if (given.size() > kMaxElements) return complaint_.raise(where + ": too many elements");
    values.reserve(given.size());
    for (const Json& element : given) {
      if (complaint_.raised()) return;
      const std::string place = where + "[" + std::to_string(values.size()) + "]";
      read(element, values.emplace_back(), place);
    }
  }

  template <class T, std::size_t N>
  void read(const Json& given, std::array<T, N>& values, const std::string& where) {
    if (!given.is_array() || given.size() != N) {
      return complaint_.raise(where + ": expected an array of " + std::to_string(N));
    }
    for (std::size_t i = 0; i < N; ++i) {
      read(given[i], values[i], where + "[" + std::to_string(i) + "]");
    }
  }

  void read(const Json& given, std::map<std::string, std::uint64_t>& values,
            const std::string& where) {
    if (!given.is_object()) return complaint_.raise(where + ": expected an object");
    for (const auto& [key, element] : given.items()) read(element, values[key], where + "." + key);
  }

  template <class T>
  requires requires(Reader& reader, T& value) { fields(reader, value); }
  void read(const Json& given, T& value, const std::string& where) {
    if (!given.is_object()) return complaint_.raise(where + ": expected an object");
    Reader reader(given, where, complaint_);
    fields(reader, value);
  }

  const Json& object_;
  std::string path_;
  Complaint& complaint_;
};

// What the text says once or not at all: names and sources inside, steady times.
void complete(core::HostSnapshot& host) {
  host.taken_steady = core::SteadyTime(host.taken_at.time_since_epoch());
  for (core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot) continue;
    auto device = std::make_shared<core::DeviceSnapshot>(*entry.snapshot);
    device->name = entry.name;
    device->sources = entry.sources;
    device->read_steady = core::SteadyTime(device->read_at.time_since_epoch());
    entry.snapshot = std::move(device);
  }
}

// A discarded value where the text is no JSON, or nested deeper than ours ever is.
Json parse_bounded(std::string_view text) {
  bool too_deep = false;
  const auto check = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  Json root = Json::parse(text, check, false);
  return too_deep ? Json(Json::value_t::discarded) : root;
}

}  // namespace

core::Result<ParsedSnapshot> parse_json(std::string_view text) {
  if (text.size() > kMaxText) return core::fail("snapshot: longer than 16 MiB");
  const Json root = parse_bounded(text);
  if (!root.is_object()) return core::fail("snapshot: not a JSON object");
  const auto version = root.find("schema_version");
  if (version == root.end() || !version->is_number_integer()) {
    return core::fail("snapshot: schema_version: missing");
  }
  if (*version != kSnapshotSchemaVersion) {
    return core::fail("snapshot: schema_version " + version->dump() + " is not known, only " +
                      std::to_string(kSnapshotSchemaVersion));
  }
  Complaint complaint;
  ParsedSnapshot parsed;
  Reader reader(root, "", complaint);
  reader.field("agent", parsed.agent);
  reader.field("host", parsed.host);
  if (complaint.raised()) return core::fail("snapshot: " + printable(complaint.what()));
  complete(parsed.host);
  return parsed;
}

}  // namespace rdmadiag::exporters
