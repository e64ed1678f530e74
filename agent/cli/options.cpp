#include "agent/cli/options.h"

#include <CLI/CLI.hpp>

#include "agent/cli/words.h"
#include "agent/core/strict_reader.h"

namespace rdmadiag::cli {

void add_agent_option(CLI::App& app, ObserverOptions& options) {
  add_agent_option(app, options.agent, "Ask the agent of another host");
}

CLI::Option* add_duration_option(CLI::App& app, const std::string& name,
                                 std::chrono::nanoseconds& duration, const std::string& help) {
  const auto check = [](const std::string& text) -> std::string {
    const auto parsed = core::parse_duration(text);
    if (parsed && parsed->count() > 0) return "";
    return "'" + text + "' is no duration such as 500ms, 10s or 1m";
  };
  const auto store = [&duration](const std::string& text) {
    duration = core::parse_duration(text).value_or(duration);
  };
  return app.add_option_function<std::string>(name, store, help)
      ->check(CLI::Validator(check, "", "duration"))
      ->type_name("DURATION");
}

CLI::Option* add_word_option(CLI::App& app, const std::string& name, std::string& word,
                             const std::string& type_name, const std::string& help) {
  return app.add_option(name, word, help)
      ->check(CLI::IsMember(value_words(type_name)))
      ->type_name(type_name);
}

}  // namespace rdmadiag::cli
