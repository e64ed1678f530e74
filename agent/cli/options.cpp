#include "agent/cli/options.h"

#include <CLI/CLI.hpp>

#include "agent/cli/words.h"
#include "agent/core/nearest.h"
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

std::string take_word(std::string_view type_name, std::string& text) {
  const std::vector<std::string> words = value_words(type_name);
  std::vector<std::string> names;
  for (const std::string& word : words) {
    names.push_back(CLI::detail::to_lower(word));
    if (names.back() != CLI::detail::to_lower(text)) continue;
    text = word;
    return "";
  }
  const std::string problem =
      "unknown " + CLI::detail::to_lower(std::string(type_name)) + " " + text;
  if (const auto nearest = core::nearest_name(CLI::detail::to_lower(text), names)) {
    return problem + " (did you mean " + *nearest + "?)";
  }
  return problem + "; there are " + CLI::detail::join(names, ", ");
}

void add_output_file(CLI::App& app, std::string& file, const std::string& help) {
  const auto check = [](const std::string& name) {
    if (name != "-") return std::string();
    return std::string("standard output is not written to: name a file, or ./- for that name");
  };
  app.add_option("file", file, help)
      ->required()
      ->check(CLI::Validator(check, "", "file"))
      ->type_name("FILE");
}

CLI::Option* add_word_option(CLI::App& app, const std::string& name, std::string& word,
                             const std::string& type_name, const std::string& help) {
  const auto take = [type_name](std::string& text) { return take_word(type_name, text); };
  return app.add_option(name, word, help)
      ->transform(CLI::Validator(take, "", "word"))
      ->type_name(type_name);
}

}  // namespace rdmadiag::cli
