#include "agent/core/strict_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "agent/core/nearest.h"

namespace rdmadiag::core {
namespace {

const YamlNode kEmptyNode;

std::string quote(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kShown))
    quoted += (c == '\n' || c == '\r' || c == '\t') ? ' ' : c;
  return quoted + (text.size() > kShown ? "…\"" : "\"");
}

std::string plain(double value) {
  std::array<char, 32> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.15g", value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string not_between(std::string_view what, const std::string& lowest,
                        const std::string& highest, std::string_view given) {
  std::string message = "wants ";
  message += what;
  message += " from " + lowest + " to " + highest + ", not ";
  message += given;
  return message;
}

}  // namespace

std::string format_problem(std::string_view file, const Problem& problem) {
  std::string text(file);
  text += ':' + std::to_string(problem.line) + ": ";
  if (!problem.path.empty()) text += problem.path + ": ";
  text += problem.message;
  // A key may hold line breaks and escapes: a problem is one line.
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }, ' ');
  return text;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull: return "nothing";
    case YamlNode::Kind::kScalar: return quote(node.scalar);
    case YamlNode::Kind::kSequence: return "a list";
    case YamlNode::Kind::kMap: return "a map";
  }
  return {};
}

MapReader::MapReader(const YamlNode& node, std::string path, Problems& problems)
    : node_(&node), path_(std::move(path)), problems_(&problems) {
  if (node.kind != YamlNode::Kind::kMap) {
    if (node.kind != YamlNode::Kind::kNull)
      problems_->push_back({node.line, path_, "wants a map, not " + describe(node)});
    node_ = &kEmptyNode;
    return;
  }
  std::map<std::string_view, int> first_lines;
  for (const YamlEntry& entry : node.entries) {
    const auto [first, fresh] = first_lines.emplace(entry.key, entry.line);
    if (fresh) continue;
    problems_->push_back({entry.line, path_of(entry.key),
                          "duplicate key, first on line " + std::to_string(first->second)});
  }
}

std::string MapReader::path_of(std::string_view key) const {
  constexpr std::size_t kShown = 60;
  std::string path = path_.empty() ? "" : path_ + '.';
  return path += key.substr(0, kShown);
}

bool MapReader::has(std::string_view key) const {
  return std::any_of(node_->entries.begin(), node_->entries.end(),
                     [&](const YamlEntry& entry) { return entry.key == key; });
}

const YamlNode* MapReader::find(std::string_view key) {
  known_.emplace_back(key);
  const auto found = std::find_if(node_->entries.begin(), node_->entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  if (found == node_->entries.end()) return nullptr;
  return found->value.kind == YamlNode::Kind::kNull ? nullptr : &found->value;
}

void MapReader::problem(std::string_view key, std::string message) {
  const auto found = std::find_if(node_->entries.begin(), node_->entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  const int line = found == node_->entries.end() ? node_->line : found->line;
  problems_->push_back({line, path_of(key), std::move(message)});
}

const std::string* MapReader::scalar(std::string_view key, std::string_view wanted) {
  const YamlNode* node = find(key);
  if (node == nullptr) return nullptr;
  if (node->kind == YamlNode::Kind::kScalar) return &node->scalar;
  problem(key, "wants " + std::string(wanted) + ", not " + describe(*node));
  return nullptr;
}

void MapReader::boolean(std::string_view key, bool& value) {
  const std::string* given = scalar(key, "true or false");
  if (given == nullptr) return;
  if (*given == "true" || *given == "false")
    value = *given == "true";
  else
    problem(key, "wants true or false, not " + quote(*given));
}

void MapReader::integer(std::string_view key, std::int64_t& value, std::int64_t lowest,
                        std::int64_t highest) {
  const std::string* given = scalar(key, "a whole number");
  if (given == nullptr) return;
  std::int64_t number = 0;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, number);
  const bool whole =
      stop == end && (error == std::errc{} || error == std::errc::result_out_of_range);
  if (!whole)
    problem(key, "wants a whole number, not " + quote(*given));
  else if (error != std::errc{} || number < lowest || number > highest)
    problem(key, not_between("a whole number", std::to_string(lowest), std::to_string(highest),
                             given->substr(0, 40)));
  else
    value = number;
}

void MapReader::number(std::string_view key, double& value, Range range) {
  const std::string* given = scalar(key, "a number");
  if (given == nullptr) return;
  double number = 0;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, number);
  if (stop != end || error != std::errc{} || !std::isfinite(number))
    problem(key, "wants a number, not " + quote(*given));
  else if (number < range.lowest || number > range.highest)
    problem(key, not_between("a number", plain(range.lowest), plain(range.highest),
                             given->substr(0, 40)));
  else
    value = number;
}

void MapReader::duration(std::string_view key, std::chrono::nanoseconds& value,
                         std::chrono::nanoseconds lowest, std::chrono::nanoseconds highest) {
  constexpr std::string_view kWanted = "a time like 500ms, 30s or 1m";
  const std::string* given = scalar(key, kWanted);
  if (given == nullptr) return;
  const auto parsed = parse_duration(*given);
  if (!parsed)
    problem(key, "wants " + std::string(kWanted) + ", not " + quote(*given));
  else if (*parsed < lowest || *parsed > highest)
    problem(key, not_between("a time", format_duration(lowest), format_duration(highest), *given));
  else
    value = *parsed;
}

void MapReader::text(std::string_view key, std::string& value, std::size_t longest) {
  const std::string* given = scalar(key, "text");
  if (given == nullptr) return;
  if (given->size() > longest)
    problem(key, "longer than " + std::to_string(longest) + " bytes");
  else
    value = *given;
}

void MapReader::word(std::string_view key, std::size_t& value,
                     std::span<const std::string_view> words) {
  std::string wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) wanted += i + 1 == words.size() ? " or " : ", ";
    wanted += words[i];
  }
  const std::string* given = scalar(key, wanted);
  if (given == nullptr) return;
  const auto found = std::find(words.begin(), words.end(), *given);
  if (found == words.end())
    problem(key, "wants " + wanted + ", not " + quote(*given));
  else
    value = static_cast<std::size_t>(found - words.begin());
}

void MapReader::text_list(std::string_view key, std::vector<std::string>& value, std::size_t most) {
  const YamlNode* node = find(key);
  if (node == nullptr) return;
  std::vector<std::string> texts;
  for (const YamlNode& item : list(key, most)) {
    if (item.kind == YamlNode::Kind::kScalar)
      texts.push_back(item.scalar);
    else
      problems_->push_back(
          {item.line, path_of(key), "wants a list of text, not " + describe(item)});
  }
  if (node->kind == YamlNode::Kind::kSequence) value = std::move(texts);
}

void MapReader::text_map(std::string_view key, std::map<std::string, std::string>& value,
                         std::size_t most) {
  const YamlNode* node = find(key);
  if (node == nullptr) return;
  const MapReader checks(*node, path_of(key), *problems_);
  if (node->kind != YamlNode::Kind::kMap) return;
  if (node->entries.size() > most) {
    problem(key, "more than " + std::to_string(most) + " entries");
    return;
  }
  std::map<std::string, std::string> texts;
  for (const YamlEntry& entry : node->entries) {
    if (entry.value.kind == YamlNode::Kind::kScalar)
      texts.emplace(entry.key, entry.value.scalar);
    else
      problems_->push_back(
          {entry.line, checks.path_of(entry.key), "wants text, not " + describe(entry.value)});
  }
  value = std::move(texts);
}

MapReader MapReader::section(std::string_view key) {
  const YamlNode* node = find(key);
  return {node == nullptr ? kEmptyNode : *node, path_of(key), *problems_};
}

std::span<const YamlNode> MapReader::list(std::string_view key, std::size_t most) {
  const YamlNode* node = find(key);
  if (node == nullptr) return {};
  if (node->kind != YamlNode::Kind::kSequence) {
    problem(key, "wants a list, not " + describe(*node));
    return {};
  }
  if (node->items.size() > most) {
    problem(key, "more than " + std::to_string(most) + " items");
    return {};
  }
  return node->items;
}

void MapReader::reject_unknown() {
  for (const YamlEntry& entry : node_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    std::string message = "unknown key";
    if (const auto nearest = nearest_name(entry.key, known_))
      message += " (did you mean " + *nearest + "?)";
    problems_->push_back({entry.line, path_of(entry.key), std::move(message)});
  }
}

}  // namespace rdmadiag::core
