#include "config/schema.h"

namespace rdmadiag::config {
namespace {

// Lists are visited with one item, so that its keys are seen.
class KeyLister final : public ConfigVisitor {
 public:
  std::vector<std::string> keys;

  void boolean(std::string_view key, bool&) override { add(key); }
  void integer(std::string_view key, std::int64_t&, std::int64_t, std::int64_t) override {
    add(key);
  }
  void optional_integer(std::string_view key, std::optional<std::int64_t>&, std::int64_t,
                        std::int64_t) override {
    add(key);
  }
  void number(std::string_view key, double&, double, double) override { add(key); }
  void duration(std::string_view key, std::chrono::nanoseconds&, std::chrono::nanoseconds,
                std::chrono::nanoseconds) override {
    add(key);
  }
  void optional_rate(std::string_view key, std::optional<double>&) override { add(key); }
  void text(std::string_view key, std::string&, TextKind) override { add(key); }
  void texts(std::string_view key, std::vector<std::string>&, TextKind) override { add(key); }
  void text_map(std::string_view key, Labels&, MapKind) override { add(key); }
  void word(std::string_view key, std::size_t&, std::span<const std::string_view>) override {
    add(key);
  }
  void begin_section(std::string_view key) override {
    prefixes_.push_back(prefix() + std::string(key) + '.');
  }
  void end_section() override { prefixes_.pop_back(); }
  std::size_t begin_list(std::string_view key, std::size_t) override {
    prefixes_.push_back(prefix() + std::string(key) + "[].");
    return 1;
  }
  void begin_item(std::size_t) override {}
  void end_item() override {}
  void end_list() override { prefixes_.pop_back(); }

 private:
  [[nodiscard]] std::string prefix() const { return prefixes_.empty() ? "" : prefixes_.back(); }
  void add(std::string_view key) { keys.push_back(prefix() + std::string(key)); }

  std::vector<std::string> prefixes_;
};

}  // namespace

std::vector<std::string> config_keys() {
  KeyLister lister;
  Config defaults;
  visit_config(lister, defaults);
  return std::move(lister.keys);
}

}  // namespace rdmadiag::config
