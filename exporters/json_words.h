// Words and times as they stand in the JSON. Internal to the JSON exporter.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "agent/core/clock.h"
#include "agent/core/finding.h"
#include "agent/core/nic.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::exporters {

// T or const T: readers fill what writers only look at.
template <class Given, class Wanted>
concept Either = std::same_as<std::remove_const_t<Given>, Wanted>;

// An unknown word gives the enumeration's "unknown" or "other", where it has one; a word another
// version made up must not make a whole snapshot unreadable.
[[nodiscard]] core::Protocol protocol_of(std::string_view word);
[[nodiscard]] core::GidType gid_type_of(std::string_view word);
[[nodiscard]] core::IssueReason reason_of(std::string_view word);
[[nodiscard]] core::FindingSeverity severity_of(std::string_view word);
[[nodiscard]] std::optional<core::Source> source_of(std::string_view word);

[[nodiscard]] std::string_view counter_source_name(core::CounterSource source);
[[nodiscard]] std::optional<core::CounterSource> counter_source_of(std::string_view word);

[[nodiscard]] std::string_view trust_name(core::Trust trust);
[[nodiscard]] std::optional<core::Trust> trust_of(std::string_view word);

// RFC 3339 in UTC with milliseconds: "2026-01-01T00:00:00.000Z".
[[nodiscard]] std::string format_time(core::SystemTime time);
[[nodiscard]] std::optional<core::SystemTime> parse_time(std::string_view text);

}  // namespace rdmadiag::exporters
