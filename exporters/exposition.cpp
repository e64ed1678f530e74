#include "exporters/exposition.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

#include "exporters/utf8.h"

namespace rdmadiag::exporters {
namespace {

std::string_view type_word(FamilyType type) {
  switch (type) {
    case FamilyType::kCounter: return "counter";
    case FamilyType::kGauge: return "gauge";
    case FamilyType::kHistogram: return "histogram";
    case FamilyType::kUntyped: return "untyped";
  }
  return "untyped";
}

bool is_plain(std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\') return false;
  }
  return true;
}

void append_escaped(std::string& out, std::string_view value, bool quote) {
  for (const char c : value) {
    switch (c) {
      case '\\': out.append("\\\\"); break;
      case '\n': out.append("\\n"); break;
      case '"': out.append(quote ? "\\\"" : "\""); break;
      default: out.push_back(c);
    }
  }
}

// Enough for a number, and for what stands around it in a line.
constexpr std::size_t kNumberRoom = 32;  // the longest double of to_chars has 24 characters
constexpr std::size_t kMarksRoom = 8;

char* put(char* at, std::string_view text) { return at + text.copy(at, text.size()); }

template <class Number>
char* put_number(char* at, Number value) {
  return std::to_chars(at, at + kNumberRoom, value).ptr;
}

// What Prometheus calls the values that to_chars spells otherwise.
char* put_number(char* at, double value) {
  if (std::isnan(value)) return put(at, "NaN");
  if (std::isinf(value)) return put(at, value > 0 ? "+Inf" : "-Inf");
  return std::to_chars(at, at + kNumberRoom, value).ptr;
}

bool needs_escapes(std::string_view help) {
  return help.find('\\') != help.npos || help.find('\n') != help.npos;
}

// One line of the exposition, written in place: there are thousands of them.
template <class Number>
void append_line(std::string& out, std::string_view name, std::string_view suffix,
                 std::string_view labels, Number value) {
  const std::size_t before = out.size();
  out.resize(before + name.size() + suffix.size() + labels.size() + kNumberRoom + kMarksRoom);
  char* at = put(out.data() + before, name);
  at = put(at, suffix);
  if (!labels.empty()) {
    *at++ = '{';
    at = put(at, labels);
    *at++ = '}';
  }
  *at++ = ' ';
  at = put_number(at, value);
  *at++ = '\n';
  out.resize(static_cast<std::size_t>(at - out.data()));
}

void append_plain_label(std::string& labels, std::string_view name, std::string_view value) {
  const std::size_t before = labels.size();
  labels.resize(before + name.size() + value.size() + kMarksRoom);
  char* at = labels.data() + before;
  if (before != 0) *at++ = ',';
  at = put(at, name);
  at = put(at, "=\"");
  at = put(at, value);
  *at++ = '"';
  labels.resize(static_cast<std::size_t>(at - labels.data()));
}

}  // namespace

void append_label(std::string& labels, std::string_view name, std::string_view value) {
  if (!is_plain(value)) {
    std::string escaped;
    append_escaped(escaped, valid_utf8(value), true);
    return append_plain_label(labels, name, escaped);
  }
  append_plain_label(labels, name, value);
}

void Exposition::family(std::string_view name, FamilyType type, std::string_view help) {
  name_ = name;
  type_ = type;
  help_ = help;
  header_pending_ = true;
}

void Exposition::begin_header() {
  if (!header_pending_) return;
  header_pending_ = false;
  out_.append("# HELP ").append(name_).push_back(' ');
  if (needs_escapes(help_)) {
    append_escaped(out_, help_, false);
  } else {
    out_.append(help_);
  }
  out_.append("\n# TYPE ").append(name_).push_back(' ');
  out_.append(type_word(type_)).push_back('\n');
}

void Exposition::histogram(std::string_view labels, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum) {
  begin_header();
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cumulative += counts[i];
    std::array<char, kNumberRoom> bound{};
    const double limit = i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity();
    const char* const end = put_number(bound.data(), limit);
    std::string bucket(labels);
    append_label(bucket, "le", {bound.data(), static_cast<std::size_t>(end - bound.data())});
    append_line(out_, name_, "_bucket", bucket, cumulative);
  }
  append_line(out_, name_, "_sum", labels, sum);
  append_line(out_, name_, "_count", labels, cumulative);
}

void Exposition::sample(std::string_view labels, double value) {
  begin_header();
  append_line(out_, name_, {}, labels, value);
}

void Exposition::sample(std::string_view labels, std::uint64_t value) {
  begin_header();
  append_line(out_, name_, {}, labels, value);
}

}  // namespace rdmadiag::exporters
