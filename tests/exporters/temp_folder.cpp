#include "tests/exporters/temp_folder.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

TempFolder::TempFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "rdmadiag-http-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("mkdtemp " + pattern);
  }
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, std::string_view text) const {
  const std::filesystem::path path = path_ / name;
  const std::filesystem::path fresh = path_ / (name + ".new");
  std::ofstream(fresh, std::ios::binary) << text;
  std::filesystem::rename(fresh, path);
  return path;
}
