#include "tests/support/sample_tree.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>

namespace rdmadiag::test {
namespace {

namespace fs = std::filesystem;

const fs::path kFixture = fs::path(RDMADIAG_FIXTURES) / "sysfs_trees.tsv";

char hex_byte(std::string_view digits) {
  unsigned value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  if (digits.size() != 2 || end != digits.data() + 2) throw std::runtime_error("bad \\x escape");
  return static_cast<char>(static_cast<unsigned char>(value));
}

std::string unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      bytes += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n': bytes += '\n'; break;
      case 't': bytes += '\t'; break;
      case 'x':
        bytes += hex_byte(text.substr(i + 1, 2));
        i += 2;
        break;
      default: bytes += text[i];
    }
  }
  return bytes;
}

template <class Visit>  // visit(case, path, escaped content)
void for_each_row(Visit visit) {
  std::ifstream rows(kFixture);
  if (!rows) throw std::runtime_error("cannot read " + kFixture.string());
  for (std::string line; std::getline(rows, line);) {
    const std::string_view row = line;
    const auto slash = row.find('/');
    const auto tab = row.find('\t');
    if (slash == row.npos || tab == row.npos || slash > tab) continue;
    visit(row.substr(0, slash), row.substr(slash + 1, tab - slash - 1), row.substr(tab + 1));
  }
}

// A tree is thousands of small files: memory is an order of magnitude quicker than most disks.
fs::path scratch_directory() {
  const fs::path memory = "/dev/shm";
  if (::getenv("TMPDIR") == nullptr && ::access(memory.c_str(), W_OK | X_OK) == 0) return memory;
  return fs::temp_directory_path();
}

}  // namespace

TempDir::TempDir() {
  std::string pattern = (scratch_directory() / "rdmadiag-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

SampleTree::SampleTree() {
  for (const char* name : {"sys", "proc", "dev"}) fs::create_directory(root() / name);
}

SampleTree::SampleTree(std::string_view case_name) : SampleTree() { overlay(case_name); }

void SampleTree::overlay(std::string_view case_name) {
  for (const SampleFile& file : sample_files(case_name)) {
    if (fs::path(file.path).filename() == ".keep") {
      fs::create_directories((root() / file.path).parent_path());
    } else {
      write(file.path, file.content);
    }
  }
}

void SampleTree::write(std::string_view path, std::string_view content) {
  const fs::path file = root() / path;
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + file.string());
}

void SampleTree::make_link(std::string_view path, std::string_view target) {
  const fs::path link = root() / path;
  fs::create_directories(link.parent_path());
  fs::remove(link);
  fs::create_symlink(target, link);
}

void SampleTree::make_directory(std::string_view path) { fs::create_directories(root() / path); }

void SampleTree::remove(std::string_view path) { fs::remove_all(root() / path); }

std::vector<std::string> sample_tree_names() {
  std::vector<std::string> names;
  for_each_row([&](std::string_view name, std::string_view, std::string_view) {
    if (names.empty() || names.back() != name) names.emplace_back(name);
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [](const std::string& name) { return name.ends_with("_t30s"); });
  return names;
}

std::vector<SampleFile> sample_files(std::string_view case_name) {
  std::vector<SampleFile> files;
  for_each_row([&](std::string_view name, std::string_view path, std::string_view content) {
    if (name == case_name) files.push_back({std::string(path), unescape(content)});
  });
  if (files.empty()) throw std::runtime_error("no sample tree " + std::string(case_name));
  return files;
}

}  // namespace rdmadiag::test
