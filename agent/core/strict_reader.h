// Strict reading of a YAML tree: every key is asked for by name, and whatever nobody asked for,
// stands twice, has the wrong type or an impossible value becomes a Problem. All problems of a
// document are gathered; values that are wrong leave the target as it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/yaml_tree.h"

namespace rdmadiag::core {

struct Problem {
  int line = 1;
  std::string path;  // "peers.static[0].address"; empty for the document as a whole
  std::string message;

  bool operator==(const Problem&) const = default;
};

// "rdmadiag.yaml:12: probes.ud.timeout: wants …"
[[nodiscard]] std::string format_problem(std::string_view file, const Problem& problem);

using Problems = std::vector<Problem>;

// "500ms", "30s", "1m", "1h30m": whole numbers with a unit (ns us ms s m h d), at most 10 years.
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);
// The shortest such text: "1m30s", "0s".
[[nodiscard]] std::string format_duration(std::chrono::nanoseconds duration);

// One map of the document. Read every key it may have, then reject_unknown(). A null node reads as
// an empty map.
class MapReader {
 public:
  // `node`, the text behind it and `problems` outlive the reader.
  MapReader(const YamlNode& node, std::string path, Problems& problems);

  struct Range {
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
  };

  void boolean(std::string_view key, bool& value);
  void integer(std::string_view key, std::int64_t& value, std::int64_t lowest,
               std::int64_t highest);
  void number(std::string_view key, double& value, Range range);
  void duration(std::string_view key, std::chrono::nanoseconds& value,
                std::chrono::nanoseconds lowest, std::chrono::nanoseconds highest);
  void text(std::string_view key, std::string& value, std::size_t longest = 1024);
  // One of `words`; `value` becomes its index.
  void word(std::string_view key, std::size_t& value, std::span<const std::string_view> words);
  void text_list(std::string_view key, std::vector<std::string>& value, std::size_t most = 1024);
  void text_map(std::string_view key, std::map<std::string, std::string>& value,
                std::size_t most = 1024);

  // The value of `key` for other readers; null when it is absent or null itself.
  [[nodiscard]] const YamlNode* find(std::string_view key);
  // A map below this one; an empty reader when it is absent or no map (then a problem).
  [[nodiscard]] MapReader section(std::string_view key);
  // The items of a list; empty when it is absent or no list (then a problem).
  [[nodiscard]] std::span<const YamlNode> list(std::string_view key, std::size_t most = 1024);

  // A problem at the line of `key` (or of the map itself when it is absent).
  void problem(std::string_view key, std::string message);
  void reject_unknown();

  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const;

 private:
  const std::string* scalar(std::string_view key, std::string_view wanted);

  const YamlNode* node_;
  std::string path_;
  Problems* problems_;
  std::vector<std::string> known_;
};

// "a list", "a map", "\"abc\"": what a node is, for "wants …, not …".
[[nodiscard]] std::string describe(const YamlNode& node);

}  // namespace rdmadiag::core
