#include "exporters/json_words.h"

#include <time.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace rdmadiag::exporters {
namespace {

template <class Enum, class Name>
std::optional<Enum> find_word(std::string_view word, int count, const Name& name_of) {
  for (int i = 0; i < count; ++i) {
    if (name_of(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

core::Protocol protocol_of(std::string_view word) {
  return find_word<core::Protocol>(word, 7, core::protocol_name).value_or(core::Protocol::kUnknown);
}

core::GidType gid_type_of(std::string_view word) {
  return find_word<core::GidType>(word, 4, core::gid_type_name).value_or(core::GidType::kUnknown);
}

core::IssueReason reason_of(std::string_view word) {
  return find_word<core::IssueReason>(word, core::kIssueReasonCount, core::reason_name)
      .value_or(core::IssueReason::kOther);
}

core::FindingSeverity severity_of(std::string_view word) {
  return find_word<core::FindingSeverity>(word, 3, core::severity_name)
      .value_or(core::FindingSeverity::kInfo);
}

std::optional<core::Source> source_of(std::string_view word) { return core::parse_source(word); }

std::string_view counter_source_name(core::CounterSource source) {
  switch (source) {
    case core::CounterSource::kPortCounters: return "counters";
    case core::CounterSource::kPortHwCounters: return "hw_counters";
    case core::CounterSource::kDeviceHwCounters: return "device_hw_counters";
    case core::CounterSource::kEthtool: return "ethtool";
  }
  return "counters";
}

std::optional<core::CounterSource> counter_source_of(std::string_view word) {
  return find_word<core::CounterSource>(word, 4, counter_source_name);
}

std::string_view trust_name(core::Trust trust) {
  return trust == core::Trust::kDscp ? "dscp" : "pcp";
}

std::optional<core::Trust> trust_of(std::string_view word) {
  return find_word<core::Trust>(word, 2, trust_name);
}

std::string format_time(core::SystemTime time) {
  using std::chrono::milliseconds;
  const auto since_epoch = std::chrono::floor<milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const auto whole = static_cast<time_t>(seconds.count());
  struct tm utc {};
  if (gmtime_r(&whole, &utc) == nullptr) return {};
  std::array<char, 40> text{};
  const std::size_t length = strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ",
                static_cast<int>((since_epoch - seconds).count()));
  return std::string(text.data(), length) + fraction.data();
}

std::optional<core::SystemTime> parse_time(std::string_view text) {
  if (text.size() != 24 || text[19] != '.' || text[23] != 'Z') return std::nullopt;
  struct tm utc {};
  const std::string whole(text.substr(0, 19));
  const char* end = strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  if (end == nullptr || *end != '\0') return std::nullopt;
  unsigned milliseconds = 0;
  const auto [rest, error] = std::from_chars(text.data() + 20, text.data() + 23, milliseconds);
  if (error != std::errc() || rest != text.data() + 23) return std::nullopt;
  return core::SystemTime(std::chrono::seconds(timegm(&utc)) +
                          std::chrono::milliseconds(milliseconds));
}

}  // namespace rdmadiag::exporters
