// The visitor that reads: takes each key's value out of a YAML tree. Internal to the configuration.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/core/strict_reader.h"
#include "config/check.h"
#include "config/schema.h"

namespace rdmadiag::config {

class ConfigReader final : public ConfigVisitor {
 public:
  // All arguments outlive the reader.
  ConfigReader(const core::YamlNode& root, const std::filesystem::path& folder,
               const FileCheck& check, core::Problems& problems);
  // Unknown keys at the top are problems too; call once, after the visit.
  void finish() { maps_.back().reject_unknown(); }

  void boolean(std::string_view key, bool& value) override;
  void integer(std::string_view key, std::int64_t& value, std::int64_t lowest,
               std::int64_t highest) override;
  void optional_integer(std::string_view key, std::optional<std::int64_t>& value,
                        std::int64_t lowest, std::int64_t highest) override;
  void number(std::string_view key, double& value, double lowest, double highest) override;
  void duration(std::string_view key, std::chrono::nanoseconds& value,
                std::chrono::nanoseconds lowest, std::chrono::nanoseconds highest) override;
  void optional_rate(std::string_view key, std::optional<double>& bits_per_second) override;
  void text(std::string_view key, std::string& value, TextKind kind) override;
  void texts(std::string_view key, std::vector<std::string>& value, TextKind kind) override;
  void text_map(std::string_view key, Labels& value, MapKind kind) override;
  void word(std::string_view key, std::size_t& value,
            std::span<const std::string_view> words) override;

  void begin_section(std::string_view key) override;
  void end_section() override;
  std::size_t begin_list(std::string_view key, std::size_t current) override;
  void begin_item(std::size_t index) override;
  void end_item() override;
  void end_list() override;

 private:
  struct OpenList {
    std::string path;
    std::span<const core::YamlNode> items;
  };

  std::optional<std::string> check(std::string& text, TextKind kind) const;

  std::filesystem::path folder_;
  const FileCheck& check_;
  core::Problems& problems_;
  std::vector<core::MapReader> maps_;  // the section being read last
  std::vector<OpenList> lists_;
};

}  // namespace rdmadiag::config
