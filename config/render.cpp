#include "config/render.h"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <array>
#include <cstdio>

#include "agent/core/strict_reader.h"
#include "config/rate.h"
#include "config/schema.h"

namespace rdmadiag::config {
namespace {

class ConfigWriter final : public ConfigVisitor {
 public:
  ConfigWriter() { out_ << YAML::BeginMap; }
  std::string finish() {
    out_ << YAML::EndMap;
    return std::string(out_.c_str()) + '\n';
  }

  void boolean(std::string_view key, bool& value) override { put(key) << value; }
  void integer(std::string_view key, std::int64_t& value, std::int64_t, std::int64_t) override {
    put(key) << value;
  }
  void optional_integer(std::string_view key, std::optional<std::int64_t>& value, std::int64_t,
                        std::int64_t) override {
    if (value)
      put(key) << *value;
    else
      put(key) << YAML::Null;
  }
  void number(std::string_view key, double& value, double, double) override {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.15g", value);
    put(key) << buffer.data();
  }
  void duration(std::string_view key, std::chrono::nanoseconds& value, std::chrono::nanoseconds,
                std::chrono::nanoseconds) override {
    put(key) << core::format_duration(value);
  }
  void optional_rate(std::string_view key, std::optional<double>& bits_per_second) override {
    text_or_null(key, bits_per_second ? format_rate(*bits_per_second) : "");
  }
  void text(std::string_view key, std::string& value, TextKind) override {
    text_or_null(key, value);
  }
  void texts(std::string_view key, std::vector<std::string>& value, TextKind) override {
    put(key) << YAML::Flow << YAML::BeginSeq;
    for (const std::string& item : value) out_ << YAML::DoubleQuoted << item;
    out_ << YAML::EndSeq;
  }
  void text_map(std::string_view key, Labels& value, MapKind) override {
    put(key) << YAML::Flow << YAML::BeginMap;
    for (const auto& [name, text] : value)
      out_ << YAML::Key << YAML::DoubleQuoted << name << YAML::Value << YAML::DoubleQuoted << text;
    out_ << YAML::EndMap;
  }
  void word(std::string_view key, std::size_t& value,
            std::span<const std::string_view> words) override {
    const std::string_view chosen = words[value];
    if (chosen.empty())
      put(key) << YAML::Null;
    else
      put(key) << std::string(chosen);
  }

  void begin_section(std::string_view key) override { put(key) << YAML::BeginMap; }
  void end_section() override { out_ << YAML::EndMap; }
  std::size_t begin_list(std::string_view key, std::size_t current) override {
    put(key);
    if (current == 0) out_ << YAML::Flow;
    out_ << YAML::BeginSeq;
    return current;
  }
  void begin_item(std::size_t) override { out_ << YAML::BeginMap; }
  void end_item() override { out_ << YAML::EndMap; }
  void end_list() override { out_ << YAML::EndSeq; }

 private:
  YAML::Emitter& put(std::string_view key) {
    return out_ << YAML::Key << std::string(key) << YAML::Value;
  }
  void text_or_null(std::string_view key, const std::string& value) {
    if (value.empty())
      put(key) << YAML::Null;
    else
      put(key) << YAML::DoubleQuoted << value;
  }

  YAML::Emitter out_;
};

}  // namespace

std::string render_config(const Config& config) {
  ConfigWriter writer;
  Config copy = config;  // visitors may write, this one does not
  visit_config(writer, copy);
  return writer.finish();
}

}  // namespace rdmadiag::config
