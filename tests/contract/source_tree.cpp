#include "tests/contract/source_tree.h"

#include <fstream>

namespace rdmadiag::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kLayers = {"agent/core", "agent/host", "agent/daemon", "agent/cli",
                                          "probes",     "exporters",  "config"};

std::vector<std::string> read_lines(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string layer_of(const std::string& path) {
  for (const std::string& layer : kLayers)
    if (path.starts_with(layer + '/')) return layer;
  return {};
}

std::string included_file(const std::string& line) {
  constexpr std::string_view kDirective = "#include ";
  if (!line.starts_with(kDirective)) return {};
  const std::size_t begin = kDirective.size() + 1;
  const std::size_t end = line.find_first_of("\">", begin);
  return end == std::string::npos ? "" : line.substr(begin, end - begin);
}

std::vector<std::string> allowed_layers(const std::string& layer) {
  if (layer == "agent/core") return {};
  if (layer == "agent/daemon" || layer == "agent/cli")
    return {"agent/core", "agent/host", "probes", "exporters", "config"};
  return {"agent/core"};
}

std::vector<SourceFile> source_files() {
  const fs::path root = RDMADIAG_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const std::string& layer : kLayers) {
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      files.push_back({fs::relative(path, root).string(), layer, read_lines(path)});
    }
  }
  return files;
}

}  // namespace rdmadiag::test
