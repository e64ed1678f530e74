// Any bytes as the configuration file: no crash, no unbounded work, every refusal has its words,
// and what was accepted can be written and read back.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/load.h"
#include "config/render.h"

namespace {

using rdmadiag::config::parse_config;

void require(bool holds) {
  if (!holds) std::abort();
}

std::optional<std::string> any_file(const std::filesystem::path&, bool) { return std::nullopt; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto config = parse_config(text, "/etc/rdmadiag", any_file);
  if (!config) {
    require(!config.error().empty());
    int line = 0;
    for (const auto& problem : config.error()) {
      require(!problem.message.empty() && problem.line >= line && problem.line >= 1);
      line = problem.line;
    }
    return 0;
  }
  const auto again =
      parse_config(rdmadiag::config::render_config(*config), "/etc/rdmadiag", any_file);
  require(again.has_value() && *again == *config);
  return 0;
}
