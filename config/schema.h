// The shape of the configuration file: visit_config() names every key, its target, type and range
// to a visitor, in file order. The reader, the writer and the list of keys are three visitors.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace rdmadiag::config {

enum class TextKind : std::uint8_t {
  kPlain,
  kFile,         // must exist and be readable; relative to the configuration file's folder
  kSecretFile,   // and not be open to others
  kFilePattern,  // need not exist; the last component may hold *
  kRegex,        // ECMAScript
  kUrl,          // http:// or https://
  kAddress,      // host or host:port
  kLinkLayer,    // infiniband, ethernet or iwarp
};

enum class MapKind : std::uint8_t { kLabels, kRails };

class ConfigVisitor {
 public:
  virtual ~ConfigVisitor() = default;

  virtual void boolean(std::string_view key, bool& value) = 0;
  virtual void integer(std::string_view key, std::int64_t& value, std::int64_t lowest,
                       std::int64_t highest) = 0;
  virtual void optional_integer(std::string_view key, std::optional<std::int64_t>& value,
                                std::int64_t lowest, std::int64_t highest) = 0;
  virtual void number(std::string_view key, double& value, double lowest, double highest) = 0;
  virtual void duration(std::string_view key, std::chrono::nanoseconds& value,
                        std::chrono::nanoseconds lowest, std::chrono::nanoseconds highest) = 0;
  virtual void optional_rate(std::string_view key, std::optional<double>& bits_per_second) = 0;
  // Empty text stands for "not set".
  virtual void text(std::string_view key, std::string& value, TextKind kind) = 0;
  virtual void texts(std::string_view key, std::vector<std::string>& value, TextKind kind) = 0;
  virtual void text_map(std::string_view key, Labels& value, MapKind kind) = 0;
  // `value` is an index of `words`; the first word of the empty name stands for "not set".
  virtual void word(std::string_view key, std::size_t& value,
                    std::span<const std::string_view> words) = 0;

  virtual void begin_section(std::string_view key) = 0;
  virtual void end_section() = 0;
  // How many items to visit: those in the file for a reader, `current` for a writer.
  virtual std::size_t begin_list(std::string_view key, std::size_t current) = 0;
  virtual void begin_item(std::size_t index) = 0;
  virtual void end_item() = 0;
  virtual void end_list() = 0;
};

void visit_config(ConfigVisitor& visitor, Config& config);

// Every key with its path, in file order: "probes.ud.timeout", "peers.static[].address".
[[nodiscard]] std::vector<std::string> config_keys();

}  // namespace rdmadiag::config
