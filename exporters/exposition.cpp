#include "exporters/exposition.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

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

template <class Number>
void append_number(std::string& out, Number value) {
  std::array<char, 32> digits;  // the longest double of to_chars has 24 characters
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace

void append_label(std::string& labels, std::string_view name, std::string_view value) {
  if (!labels.empty()) labels.push_back(',');
  labels.append(name).append("=\"");
  if (is_plain(value)) {
    labels.append(value);
  } else {
    append_escaped(labels, valid_utf8(value), true);
  }
  labels.push_back('"');
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
  append_escaped(out_, help_, false);
  out_.append("\n# TYPE ").append(name_).push_back(' ');
  out_.append(type_word(type_)).push_back('\n');
}

void Exposition::histogram(std::string_view labels, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum) {
  begin_header();
  const auto line = [&](std::string_view suffix, std::string_view line_labels, auto value) {
    out_.append(name_).append(suffix);
    if (!line_labels.empty()) out_.append("{").append(line_labels).append("}");
    out_.push_back(' ');
    append_number(out_, value);
    out_.push_back('\n');
  };
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cumulative += counts[i];
    std::string bound = "+Inf";
    if (i < bounds.size()) {
      bound.clear();
      append_number(bound, bounds[i]);
    }
    std::string bucket(labels);
    append_label(bucket, "le", bound);
    line("_bucket", bucket, cumulative);
  }
  line("_sum", labels, sum);
  line("_count", labels, cumulative);
}

void Exposition::begin_sample(std::string_view labels) {
  begin_header();
  out_.append(name_);
  if (!labels.empty()) {
    out_.push_back('{');
    out_.append(labels);
    out_.push_back('}');
  }
  out_.push_back(' ');
}

void Exposition::sample(std::string_view labels, double value) {
  begin_sample(labels);
  if (std::isnan(value)) {
    out_.append("NaN");
  } else if (std::isinf(value)) {
    out_.append(value > 0 ? "+Inf" : "-Inf");
  } else {
    append_number(out_, value);
  }
  out_.push_back('\n');
}

void Exposition::sample(std::string_view labels, std::uint64_t value) {
  begin_sample(labels);
  append_number(out_, value);
  out_.push_back('\n');
}

}  // namespace rdmadiag::exporters
