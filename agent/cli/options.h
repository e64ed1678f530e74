// Options that several commands share.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "agent/cli/observe.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rdmadiag::cli {

// `--agent HOST:PORT` and how to ask it, into options.agent.
void add_agent_option(CLI::App& app, ObserverOptions& options);

// A duration above zero such as 500ms, 10s or 1m; anything else is a usage error. What is there
// before parsing stays when the option is not given.
CLI::Option* add_duration_option(CLI::App& app, const std::string& name,
                                 std::chrono::nanoseconds& duration, const std::string& help);

// Spells `text` as that one of the words that `type_name` stands for (value_words), in whatever
// case it came; else says what is wrong, with the nearest word.
[[nodiscard]] std::string take_word(std::string_view type_name, std::string& text);

// The positional `file` to write, which must be named: standard output is for what is said of it.
void add_output_file(CLI::App& app, std::string& file, const std::string& help);

// One of the words that `type_name` stands for (value_words); anything else is a usage error.
CLI::Option* add_word_option(CLI::App& app, const std::string& name, std::string& word,
                             const std::string& type_name, const std::string& help);

}  // namespace rdmadiag::cli
