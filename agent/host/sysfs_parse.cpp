#include "agent/host/sysfs_parse.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace rdmadiag::host {
namespace {

// Faster than a product of hundreds of Tb/s would ever need to be, small enough for any arithmetic.
constexpr double kMaxNumber = 1e9;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Takes a whole number off the front; nothing, and `text` as it was, when there is none.
template <class Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  const auto value = take_number<Number>(text, base);
  if (!text.empty()) return std::nullopt;
  return value;
}

// "2.5" off the front: no sign, no exponent, no "inf".
std::optional<double> take_fraction(std::string_view& text) {
  const auto past =
      std::find_if(text.begin(), text.end(), [](char c) { return !is_digit(c) && c != '.'; });
  const std::string_view digits(text.begin(), past);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                            std::chars_format::fixed);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (!std::isfinite(value) || value > kMaxNumber) return std::nullopt;
  text.remove_prefix(digits.size());
  return value;
}

// The prefix of "Gb/sec", in any case; giga when there is no unit.
double unit_factor(std::string_view unit) {
  unit = trim(unit);
  switch (unit.empty() ? 'g' : lower(unit.front())) {
    case 'k': return 1e3;
    case 'm': return 1e6;
    case 't': return 1e12;
    default: return 1e9;
  }
}

void read_width_and_speed(std::string_view inside, core::PortRate& rate) {
  const auto lanes = take_number<unsigned>(inside);
  if (lanes && *lanes > 0 && *lanes <= 64 && !inside.empty() && lower(inside.front()) == 'x') {
    rate.width_lanes = static_cast<int>(*lanes);
    inside.remove_prefix(1);
  }
  constexpr std::size_t kMaxSpeedName = 16;
  rate.speed_name = trim(inside).substr(0, kMaxSpeedName);
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> parse_counter(std::string_view text) {
  return whole_number<std::uint64_t>(trim(text));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return whole_number<std::int64_t>(trim(text));
}

std::optional<std::uint32_t> parse_hex_u32(std::string_view text) {
  text = trim(text);
  if (text.size() < 3 || text[0] != '0' || lower(text[1]) != 'x') return std::nullopt;
  return whole_number<std::uint32_t>(text.substr(2), 16);
}

std::optional<int> parse_numbered_state(std::string_view text) {
  text = trim(text);
  const auto number = take_number<unsigned>(text);
  if (!number || *number > 0xffff) return std::nullopt;
  if (!text.empty() && text.front() != ':') return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<core::PortRate> parse_rate(std::string_view text) {
  text = trim(text);
  const auto number = take_fraction(text);
  if (!number) return std::nullopt;
  const auto open = std::min(text.find('('), text.size());
  core::PortRate rate;
  rate.bits_per_second = *number * unit_factor(text.substr(0, open));
  if (open < text.size()) {
    const std::string_view rest = text.substr(open + 1);
    read_width_and_speed(rest.substr(0, std::min(rest.find(')'), rest.size())), rate);
  }
  return rate;
}

std::optional<std::uint64_t> parse_guid(std::string_view text) {
  text = trim(text);
  std::uint64_t guid = 0;
  for (int group = 0; group < 4; ++group) {
    const auto value = whole_number<std::uint16_t>(text.substr(0, 4), 16);
    if (!value || text.size() < 4) return std::nullopt;
    guid = guid << 16 | *value;
    text.remove_prefix(4);
    if (group == 3) break;
    if (text.empty() || text.front() != ':') return std::nullopt;
    text.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;
  return guid;
}

std::string format_guid(std::uint64_t guid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += kDigits[guid >> shift & 0xf];
    if (shift % 16 == 0 && shift > 0) text += ':';
  }
  return text;
}

core::GidType parse_gid_type(std::string_view text, core::LinkLayer link_layer) {
  text = trim(text);
  if (text == "RoCE v2") return core::GidType::kRoceV2;
  if (text == "IB/RoCE v1" || text == "RoCE v1" || text == "IB") {
    return link_layer == core::LinkLayer::kEthernet ? core::GidType::kRoceV1 : core::GidType::kIb;
  }
  return core::GidType::kUnknown;
}

std::optional<double> parse_link_speed(std::string_view text) {
  text = trim(text);
  const auto number = take_fraction(text);
  if (!number || *number <= 0 || !trim(text).starts_with("GT/s")) return std::nullopt;
  return *number * 1e9;
}

std::optional<int> parse_link_width(std::string_view text) {
  const auto lanes = parse_counter(text);
  if (!lanes || *lanes == 0 || *lanes > 64) return std::nullopt;
  return static_cast<int>(*lanes);
}

std::optional<std::uint64_t> parse_aer_total(std::string_view text) {
  std::uint64_t sum = 0;
  bool any = false;
  while (!(text = trim(text)).empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end);
    std::size_t word = line.size();  // the last one
    while (word > 0 && !is_space(line[word - 1])) --word;
    const auto count = word == 0 ? std::nullopt : parse_counter(line.substr(word));
    if (!count) return std::nullopt;
    if (line.starts_with("TOTAL_ERR_")) return count;
    sum += *count;
    any = true;
  }
  if (!any) return std::nullopt;
  return sum;
}

bool is_pci_address(std::string_view text) {
  // Domains past ffff have five and more digits: "10000:01:00.0".
  const auto colon = text.find(':');
  if (colon == text.npos || colon < 4 || colon > 8) return false;
  const std::string_view rest = text.substr(colon + 1);
  if (rest.size() != 7 || rest[2] != ':' || rest[5] != '.') return false;
  return whole_number<std::uint32_t>(text.substr(0, colon), 16) &&
         whole_number<std::uint8_t>(rest.substr(0, 2), 16) &&
         whole_number<std::uint8_t>(rest.substr(3, 2), 16) &&
         whole_number<std::uint8_t>(rest.substr(6), 16);
}

std::string_view parse_uevent_driver(std::string_view text) {
  constexpr std::string_view kKey = "DRIVER=";
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(kKey)) return trim(line.substr(kKey.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::optional<KernelRelease> parse_kernel_release(std::string_view text) {
  text = trim(text);
  KernelRelease release;
  for (int& part : release.parts) {
    const auto number = take_number<unsigned>(text);
    if (!number || *number > 1'000'000) {
      if (&part == release.parts.data()) return std::nullopt;
      break;
    }
    part = static_cast<int>(*number);
    if (text.empty() || text.front() != '.') break;
    text.remove_prefix(1);
  }
  return release;
}

}  // namespace rdmadiag::host
