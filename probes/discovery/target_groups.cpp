#include "probes/discovery/target_groups.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "agent/core/strict_reader.h"

namespace rdmadiag::probes {
namespace {

struct Group {
  std::vector<std::string> targets;
  std::vector<std::pair<std::string, std::string>> labels;
};

// Both formats come down to this.
class Reading {
 public:
  void add(const Group& group) {
    Peer labelled;
    for (const auto& [name, value] : group.labels) {
      if (!set_peer_label(labelled, name, value)) note("bad value of label " + name);
    }
    for (const std::string& target : group.targets) add_target(labelled, group, target);
  }

  void note(std::string problem) {
    if (reading_.problem.empty()) reading_.problem = std::move(problem);
  }

  [[nodiscard]] SourceReading take() { return std::move(reading_); }

 private:
  void add_target(const Peer& labelled, const Group& group, const std::string& target) {
    auto address = parse_peer_address(target);
    if (!address) {
      note("bad target \"" + target.substr(0, 64) + "\"");
    } else if (reading_.peers.size() == kMaxPeers) {
      note("more than " + std::to_string(kMaxPeers) + " targets");
    } else {
      Peer peer = labelled;
      peer.address = std::move(*address);
      // An instance label on several targets cannot name each of them.
      if (peer.id.empty() || group.targets.size() > 1) peer.id = peer.address;
      reading_.peers.push_back(std::move(peer));
    }
  }

  SourceReading reading_;
};

core::Result<Group> json_group(const nlohmann::json& item) {
  Group group;
  if (!item.is_object()) return core::fail("a target group is not an object");
  const auto targets = item.find("targets");
  if (targets == item.end() || !targets->is_array()) {
    return core::fail("a target group has no list of targets");
  }
  for (const auto& target : *targets) {
    if (!target.is_string()) return core::fail("a target is not a string");
    group.targets.push_back(target.get<std::string>());
  }
  const auto labels = item.find("labels");
  if (labels == item.end() || labels->is_null()) return group;
  if (!labels->is_object()) return core::fail("labels are not an object");
  for (const auto& [name, value] : labels->items()) {
    if (!value.is_string()) return core::fail("label " + name + " is not a string");
    group.labels.emplace_back(name, value.get<std::string>());
  }
  return group;
}

core::Result<SourceReading> parse_json(std::string_view text) {
  const auto document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return core::fail("not valid JSON");
  if (!document.is_array()) return core::fail("wants a list of target groups");
  Reading reading;
  for (const auto& item : document) {
    auto group = json_group(item);
    if (!group) return tl::make_unexpected(std::move(group.error()));
    reading.add(*group);
  }
  return reading.take();
}

core::Result<SourceReading> parse_yaml_groups(std::string_view text) {
  const core::YamlLimits limits{.bytes = kMaxTargetText, .nodes = 1'000'000, .depth = 8};
  const auto tree = core::parse_yaml(text, limits);
  if (!tree) {
    return core::fail("line " + std::to_string(tree.error().line) + ": " + tree.error().message);
  }
  if (tree->kind != core::YamlNode::Kind::kSequence && tree->kind != core::YamlNode::Kind::kNull) {
    return core::fail("wants a list of target groups");
  }
  Reading reading;
  for (const core::YamlNode& item : tree->items) {
    core::Problems problems;
    core::MapReader reader(item, "", problems);
    Group group;
    std::map<std::string, std::string> labels;
    reader.text_list("targets", group.targets, kMaxPeers);
    reader.text_map("labels", labels);
    reader.reject_unknown();
    if (!problems.empty()) {
      return core::fail("line " + std::to_string(problems.front().line) + ": " +
                        problems.front().path + ": " + problems.front().message);
    }
    group.labels.assign(labels.begin(), labels.end());
    reading.add(group);
  }
  return reading.take();
}

}  // namespace

core::Result<SourceReading> parse_target_groups(std::string_view text, TargetFormat format) {
  if (text.size() > kMaxTargetText) {
    return core::fail("larger than " + std::to_string(kMaxTargetText) + " bytes");
  }
  return format == TargetFormat::kJson ? parse_json(text) : parse_yaml_groups(text);
}

}  // namespace rdmadiag::probes
