#include "agent/host/device_filter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "agent/host/collect.h"

namespace rdmadiag::host {
namespace {

std::optional<std::regex> compile(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

std::vector<std::regex> compile_all(const std::vector<std::string>& patterns) {
  std::vector<std::regex> compiled;
  for (const std::string& pattern : patterns) {
    if (auto regex = compile(pattern)) compiled.push_back(std::move(*regex));
  }
  return compiled;
}

bool any_matches(const std::vector<std::regex>& patterns, const std::string& device) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::regex& p) { return std::regex_match(device, p); });
}

// In a regular expression "." stands for no line break: ".*" would pass over a device that has one
// in its name, and nobody would hear of it.
std::string without_line_breaks(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return name;
}

}  // namespace

DeviceFilter::DeviceFilter(const CollectOptions& options)
    : include_(compile_all(options.include)), exclude_(compile_all(options.exclude)) {}

bool DeviceFilter::passes(const std::string& device) const {
  const std::string name = without_line_breaks(device);
  return any_matches(include_, name) && !any_matches(exclude_, name);
}

core::Status check_options(const CollectOptions& options) {
  for (const auto* patterns : {&options.include, &options.exclude}) {
    for (const std::string& pattern : *patterns) {
      if (!compile(pattern)) return core::fail("not a regular expression: " + pattern);
    }
  }
  constexpr std::array<std::string_view, 3> kLayers = {"infiniband", "ethernet", "iwarp"};
  for (const std::string& layer : options.link_layers) {
    if (std::find(kLayers.begin(), kLayers.end(), layer) == kLayers.end()) {
      return core::fail("unknown link layer: " + layer + " (infiniband, ethernet, iwarp)");
    }
  }
  if (options.deadline.count() <= 0) return core::fail("the deadline must be above zero");
  return {};
}

}  // namespace rdmadiag::host
