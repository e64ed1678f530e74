#include "config/reader.h"

#include "config/rate.h"

namespace rdmadiag::config {
namespace {

constexpr std::size_t kMostItems = 20'000;
constexpr std::size_t kMostTexts = 1'000;
constexpr std::size_t kMostLabels = 32;
constexpr std::size_t kLongestLabel = 128;

}  // namespace

ConfigReader::ConfigReader(const core::YamlNode& root, const std::filesystem::path& folder,
                           const FileCheck& check, core::Problems& problems)
    : folder_(folder), check_(check), problems_(problems) {
  maps_.emplace_back(root, "", problems);
}

void ConfigReader::boolean(std::string_view key, bool& value) { maps_.back().boolean(key, value); }

void ConfigReader::integer(std::string_view key, std::int64_t& value, std::int64_t lowest,
                           std::int64_t highest) {
  maps_.back().integer(key, value, lowest, highest);
}

void ConfigReader::optional_integer(std::string_view key, std::optional<std::int64_t>& value,
                                    std::int64_t lowest, std::int64_t highest) {
  std::int64_t given = -1;
  maps_.back().integer(key, given, lowest, highest);
  if (given >= lowest) value = given;
}

void ConfigReader::number(std::string_view key, double& value, double lowest, double highest) {
  maps_.back().number(key, value, {lowest, highest});
}

void ConfigReader::duration(std::string_view key, std::chrono::nanoseconds& value,
                            std::chrono::nanoseconds lowest, std::chrono::nanoseconds highest) {
  maps_.back().duration(key, value, lowest, highest);
}

void ConfigReader::optional_rate(std::string_view key, std::optional<double>& bits_per_second) {
  std::string given;
  maps_.back().text(key, given);
  if (given.empty()) return;
  const auto rate = parse_rate(given);
  if (rate)
    bits_per_second = *rate;
  else
    maps_.back().problem(key, "wants a rate like 400Gb/s, not \"" + given.substr(0, 40) + '"');
}

std::optional<std::string> ConfigReader::check(std::string& text, TextKind kind) const {
  const bool secret = kind == TextKind::kSecretFile;
  const bool must_exist = secret || kind == TextKind::kFile;
  const bool is_path = must_exist || kind == TextKind::kFilePattern;
  if (auto wrong = check_text(text, kind)) return wrong;
  if (is_path) text = (folder_ / text).lexically_normal().string();
  return must_exist ? check_(text, secret) : std::nullopt;
}

void ConfigReader::text(std::string_view key, std::string& value, TextKind kind) {
  std::string given;
  maps_.back().text(key, given);
  if (given.empty()) return;
  const std::string shown = given.substr(0, 60);
  if (auto wrong = check(given, kind)) {
    const bool wants = wrong->starts_with("wants");
    maps_.back().problem(key, wants ? *wrong + ", not \"" + shown + '"' : *wrong);
  } else {
    value = std::move(given);
  }
}

void ConfigReader::texts(std::string_view key, std::vector<std::string>& value, TextKind kind) {
  std::vector<std::string> given = value;
  maps_.back().text_list(key, given, kMostTexts);
  if (given == value) return;
  bool usable = true;
  for (std::string& item : given) {
    const std::string shown = item.substr(0, 60);
    const auto wrong = item.empty() ? std::optional<std::string>("is empty") : check(item, kind);
    if (!wrong) continue;
    usable = false;
    const bool wants = wrong->starts_with("wants");
    maps_.back().problem(key,
                         wants ? *wrong + ", not \"" + shown + '"' : '"' + shown + "\" " + *wrong);
  }
  if (usable) value = std::move(given);
}

void ConfigReader::text_map(std::string_view key, Labels& value, MapKind kind) {
  Labels given;
  maps_.back().text_map(key, given, kMostLabels);
  for (const auto& [name, text] : given) {
    std::optional<std::string> wrong;
    if (kind == MapKind::kLabels) wrong = check_label_name(name);
    if (name.empty()) wrong = "is empty";
    if (text.size() > kLongestLabel)
      wrong = "is longer than " + std::to_string(kLongestLabel) + " bytes";
    if (wrong) maps_.back().problem(key, '"' + name.substr(0, 60) + "\" " + *wrong);
  }
  if (!given.empty()) value = std::move(given);
}

void ConfigReader::word(std::string_view key, std::size_t& value,
                        std::span<const std::string_view> words) {
  const std::size_t unset = words.front().empty() ? 1 : 0;
  std::size_t index = words.size();
  maps_.back().word(key, index, words.subspan(unset));
  if (index < words.size()) value = index + unset;
}

void ConfigReader::begin_section(std::string_view key) {
  maps_.push_back(maps_.back().section(key));
}

void ConfigReader::end_section() {
  maps_.back().reject_unknown();
  maps_.pop_back();
}

std::size_t ConfigReader::begin_list(std::string_view key, std::size_t /*current*/) {
  const auto items = maps_.back().list(key, kMostItems);
  lists_.push_back({maps_.back().path_of(key), items});
  return items.size();
}

void ConfigReader::begin_item(std::size_t index) {
  const OpenList& list = lists_.back();
  maps_.emplace_back(list.items[index], list.path + '[' + std::to_string(index) + ']', problems_);
}

void ConfigReader::end_item() { end_section(); }

void ConfigReader::end_list() { lists_.pop_back(); }

}  // namespace rdmadiag::config
