// A folder of the test's own, gone with it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes beside and renames, as tools that renew certificates do; gives the whole path.
  std::string write(const std::string& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};
