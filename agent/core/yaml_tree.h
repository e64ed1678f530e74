// A YAML (or JSON) document as a plain tree with line numbers, for the strict readers. Unlike the
// parser's own nodes it keeps duplicate keys, in order, and is bounded: what comes from a file or a
// peer can be neither deep nor large enough to hurt.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace rdmadiag::core {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  int line = 1;         // from 1
  bool quoted = false;  // a scalar in quotes is text, whatever it looks like
  std::string scalar = {};
  std::vector<YamlNode> items = {};
  std::vector<YamlEntry> entries;  // in file order, duplicates kept
};

struct YamlEntry {
  std::string key;
  int line = 1;
  YamlNode value;
};

struct YamlLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t nodes = 100'000;  // aliases count as what they stand for, long text for more
  int depth = 32;
};

struct YamlError {
  int line = 1;
  std::string message;
};

// One document. An empty one is a null node. Aliases and merge keys (`<<`) are resolved; keys must
// be scalars; what is not UTF-8, control characters, a second document and tags other than the
// standard ones are errors.
[[nodiscard]] tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text,
                                                           const YamlLimits& limits = {});

}  // namespace rdmadiag::core
