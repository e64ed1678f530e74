// The project's own sources, for the tests that hold them to the architecture.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rdmadiag::test {

struct SourceFile {
  std::string path;   // "agent/host/collect.cpp"
  std::string layer;  // "agent/host", "probes"
  std::vector<std::string> lines;
};

// Every .h and .cpp of the product: agent/*, probes, exporters, config; no tests.
[[nodiscard]] std::vector<SourceFile> source_files();

// The layer a path of ours belongs to; empty for others.
[[nodiscard]] std::string layer_of(const std::string& path);

// What `#include "…"` or `#include <…>` names; empty for other lines.
[[nodiscard]] std::string included_file(const std::string& line);

// What this layer may use beside itself.
[[nodiscard]] std::vector<std::string> allowed_layers(const std::string& layer);

}  // namespace rdmadiag::test
