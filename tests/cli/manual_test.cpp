// The manual knows every command and every option.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "agent/cli/command_tree.h"

using rdmadiag::cli::CommandInfo;
using rdmadiag::cli::OptionInfo;

namespace {

// The page as a reader sees its words: without the escapes of roff.
std::string read_page() {
  std::ifstream in(RDMADIAG_SOURCE_DIR "/docs/man/rdmadiag.1");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::string page;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '-') continue;
    page += text[at];
  }
  return page;
}

void check_options(const CommandInfo& command, const std::string& page) {
  for (const OptionInfo& option : command.options) {
    for (const std::string& name : option.names) {
      INFO(command.name << " " << name);
      CHECK(page.find(name) != std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("the manual names every command and option") {
  const std::string page = read_page();
  REQUIRE(page.size() > 1000);
  const CommandInfo program = rdmadiag::cli::describe_commands();
  REQUIRE(program.commands.size() >= 9);
  check_options(program, page);
  for (const CommandInfo& command : program.commands) {
    const auto section = [&](const std::string& name) {
      INFO(name);
      CHECK(page.find("\n.SS " + name) != std::string::npos);
    };
    check_options(command, page);
    if (command.commands.empty()) section(command.name);
    for (const CommandInfo& sub : command.commands) {
      section(command.name + " " + sub.name);
      check_options(sub, page);
    }
  }
}
