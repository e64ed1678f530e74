#include "agent/core/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>

#include "agent/core/utf8.h"

namespace rdmadiag::core {
namespace {

int line_of(const YAML::Mark& mark) { return mark.is_null() ? 1 : mark.line + 1; }

// Thrown through yaml-cpp's parser to stop it; never leaves this file.
struct Refused {
  YamlError error;
};

// Long text weighs more, so that aliases of it cannot multiply without bound either.
std::size_t weight_of(std::string_view scalar) { return 1 + scalar.size() / 64; }

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = weight_of(node.scalar);
  for (const YamlNode& item : node.items) count += count_nodes(item);
  for (const YamlEntry& entry : node.entries)
    count += weight_of(entry.key) + count_nodes(entry.value);
  return count;
}

// `<<: *base` and `<<: [*a, *b]`: keys that stand in the map itself, or came earlier, win.
void resolve_merge_keys(YamlNode& map) {
  std::vector<YamlEntry> own;
  std::vector<YamlNode> merged;
  for (YamlEntry& entry : map.entries) {
    if (entry.key != "<<") {
      own.push_back(std::move(entry));
    } else if (entry.value.kind == YamlNode::Kind::kMap) {
      merged.push_back(std::move(entry.value));
    } else if (entry.value.kind == YamlNode::Kind::kSequence) {
      std::move(entry.value.items.begin(), entry.value.items.end(), std::back_inserter(merged));
    } else {
      throw Refused{{entry.line, "a merge key (<<) wants a map"}};
    }
  }
  for (YamlNode& source : merged) {
    if (source.kind != YamlNode::Kind::kMap)
      throw Refused{{source.line, "a merge key (<<) wants a map"}};
    const std::size_t known = own.size();
    for (YamlEntry& entry : source.entries) {
      const auto end = own.begin() + static_cast<std::ptrdiff_t>(known);
      const bool present = std::any_of(
          own.begin(), end, [&](const YamlEntry& existing) { return existing.key == entry.key; });
      if (!present) own.push_back(std::move(entry));
    }
  }
  map.entries = std::move(own);
}

YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) {
  YamlNode node;
  node.kind = kind;
  node.line = line_of(mark);
  return node;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) throw Refused{{line_of(mark), "more than one document in the file"}};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(mark, 1);
    place(node_at(mark, YamlNode::Kind::kNull), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Refused{{line_of(mark), "an alias stands inside what it refers to"}};
    if (static_cast<int>(open_.size()) + found->second.depth > limits_.depth) too_deep(mark);
    count(mark, found->second.nodes);
    place(YamlNode(found->second.node), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    count(mark, weight_of(value));
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    const bool null = !quoted && (value.empty() || value == "~" || value == "null");
    YamlNode node = node_at(mark, null ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar);
    node.quoted = quoted;
    node.scalar = value;
    place(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override {
    resolve_merge_keys(open_.back().node);
    close();
  }

 private:
  struct OpenNode {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::optional<YamlNode> key;  // of a map: read, its value not yet
    int depth = 1;                // of what is below, itself included
  };
  struct AnchoredNode {
    YamlNode node;
    std::size_t nodes = 0;
    int depth = 1;
  };

  [[noreturn]] void too_deep(const YAML::Mark& mark) const {
    throw Refused{
        {line_of(mark), "nested deeper than " + std::to_string(limits_.depth) + " levels"}};
  }

  void count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > limits_.nodes)
      throw Refused{{line_of(mark), "more than " + std::to_string(limits_.nodes) + " values"}};
  }

  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    const bool plain = tag.empty() || tag == "?" || tag == "!";
    if (!plain && !tag.starts_with("tag:yaml.org,2002:"))
      throw Refused{{line_of(mark), "tag " + tag.substr(0, 40) + " is not known"}};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    check_tag(mark, tag);
    if (static_cast<int>(open_.size()) >= limits_.depth) too_deep(mark);
    count(mark, 1);
    open_.push_back({.node = node_at(mark, kind), .anchor = anchor, .key = {}});
  }

  void close() {
    OpenNode done = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, done.depth + 1);
    place(std::move(done.node), done.anchor, done.depth);
  }

  void place(YamlNode node, YAML::anchor_t anchor, int depth = 1) {
    if (anchor != 0) anchors_[anchor] = {node, count_nodes(node), depth};
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kSequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      const bool scalar = node.items.empty() && node.entries.empty();
      if (!scalar) throw Refused{{node.line, "a key must be plain text"}};
      parent.key = std::move(node);
    } else {
      parent.node.entries.push_back(
          {std::move(parent.key->scalar), parent.key->line, std::move(node)});
      parent.key.reset();
    }
  }

  YamlLimits limits_;
  std::vector<OpenNode> open_;
  std::map<YAML::anchor_t, AnchoredNode> anchors_;
  YamlNode root_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

// yaml-cpp reads streams only; this one reads the caller's text in place.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // the get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

std::optional<YamlError> find_binary(std::string_view text) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = text.substr(0, end);
    const bool control = std::any_of(content.begin(), content.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < 0x20 && c != '\r' && c != '\t') || byte == 0x7f;
    });
    if (control) return YamlError{line, "control character: this is not a text file"};
    if (!is_utf8(content)) return YamlError{line, "not UTF-8"};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace

tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return tl::make_unexpected(
        YamlError{1, "larger than " + std::to_string(limits.bytes) + " bytes"});
  if (auto error = find_binary(text)) return tl::make_unexpected(std::move(*error));
  TreeBuilder builder(limits);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take_root();
  } catch (const Refused& refused) {
    return tl::make_unexpected(refused.error);
  } catch (const YAML::Exception& error) {
    return tl::make_unexpected(YamlError{line_of(error.mark), error.msg});
  }
}

}  // namespace rdmadiag::core
