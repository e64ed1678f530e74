#include "exporters/runbooks.h"

namespace rdmadiag::exporters {

std::optional<std::string_view> find_runbook(std::string_view rule) {
  for (const EmbeddedText& page : all_runbooks()) {
    if (page.name == rule) return page.text;
  }
  return std::nullopt;
}

}  // namespace rdmadiag::exporters
