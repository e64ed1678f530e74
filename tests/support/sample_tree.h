// Folders for tests: one that removes itself, and the sysfs trees of fixtures/sysfs_trees.tsv.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rdmadiag::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A root folder with `sys`, `proc` and `dev` below it. Paths given to it are relative to the root:
// "sys/class/infiniband/mlx5_0/ports/1/state".
class SampleTree {
 public:
  SampleTree();  // empty: no sys/class
  // Throws std::runtime_error when the fixture has no such case.
  explicit SampleTree(std::string_view case_name);

  // Lays another case over this one; files are rewritten in place.
  void overlay(std::string_view case_name);
  void write(std::string_view path, std::string_view content);
  void make_link(std::string_view path, std::string_view target);
  void make_directory(std::string_view path);
  void remove(std::string_view path);  // whole folders too

  [[nodiscard]] const std::filesystem::path& root() const { return directory_.path(); }
  [[nodiscard]] std::filesystem::path sys() const { return root() / "sys"; }
  [[nodiscard]] std::filesystem::path proc() const { return root() / "proc"; }
  [[nodiscard]] std::filesystem::path dev() const { return root() / "dev"; }
  [[nodiscard]] std::filesystem::path at(std::string_view path) const { return root() / path; }

 private:
  TempDir directory_;
};

// Every case that stands by itself, i.e. without the overlays.
[[nodiscard]] std::vector<std::string> sample_tree_names();

// The files of one case: path below the case's folder, content as bytes.
struct SampleFile {
  std::string path;
  std::string content;
};
[[nodiscard]] std::vector<SampleFile> sample_files(std::string_view case_name);

}  // namespace rdmadiag::test
