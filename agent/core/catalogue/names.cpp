#include <algorithm>
#include <array>
#include <cctype>

#include "agent/core/catalogue/rows.h"

namespace rdmadiag::catalogue {
namespace {

// The table is ASCII (tsv.cpp), so the C locale's answers are the right ones.
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string without_index(std::string_view text) {
  std::string out(text);
  const std::size_t open = out.find('{');
  const std::size_t close = out.find('}');
  if (open != std::string::npos && close != std::string::npos) out.erase(open, close - open + 1);
  return out;
}

// A word begins at an upper-case letter after a lower-case one or a digit, and at the last letter
// of a run of capitals that a lower-case letter follows: RxTIDFull, but SDma stays one word.
bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0 || !is_upper(text[at])) return false;
  if (is_lower(text[at - 1]) || is_digit(text[at - 1])) return true;
  return at >= 2 && is_upper(text[at - 1]) && is_upper(text[at - 2]) && at + 1 < text.size() &&
         is_lower(text[at + 1]);
}

bool is_forbidden_word(std::string_view word) {
  constexpr std::array<std::string_view, 23> kForbidden = {
      "s",       "ms",    "us",           "ns",
      "sec",     "b",     "kb",           "mb",
      "gb",      "tb",    "pb",           "m",
      "h",       "d",     "bits",         "minutes",
      "hours",   "days",  "milliseconds", "microseconds",
      "counter", "gauge", "histogram"};
  return std::find(kForbidden.begin(), kForbidden.end(), word) != kForbidden.end();
}

}  // namespace

std::string sanitise(std::string_view counter) {
  // hfi1 marks fields of 32 bits so; it is no part of the meaning.
  if (counter.ends_with(",32")) counter.remove_suffix(3);
  const std::string text = without_index(counter);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool separator = !is_alnum(text[at]);
    if ((separator || begins_word(text, at)) && !out.empty() && out.back() != '_') out += '_';
    if (!separator) out += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

std::string name_fault(std::string_view name, bool is_counter) {
  if (!name.starts_with("rdma_")) return "does not begin with rdma_";
  std::string word;
  for (const char c : std::string(name) + "_") {
    if (c == '_') {
      if (word.empty()) return "has an empty word";
      if (is_forbidden_word(word)) return "holds the word '" + word + "', which promtool refuses";
      word.clear();
    } else if (is_lower(c) || is_digit(c)) {
      word += c;
    } else {
      return "may only hold a-z, 0-9 and _";
    }
  }
  const bool total = name.ends_with("_total");
  if (is_counter && !total) return "is a counter and does not end in _total";
  if (!is_counter && total) return "is a gauge and ends in _total";
  for (const std::string_view end : {"_count", "_sum", "_bucket", "_info"}) {
    if (name.ends_with(end)) return "ends in " + std::string(end);
  }
  return "";
}

}  // namespace rdmadiag::catalogue
