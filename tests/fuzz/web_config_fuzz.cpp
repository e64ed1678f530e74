// A web configuration file with anything in it, up to the TLS settings made of it. File names lead
// to a folder that does not exist.
#include <cstdlib>
#include <string_view>

#include "exporters/tls_priority.h"
#include "exporters/web_config.h"

using namespace rdmadiag::exporters;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_web_config(text, "web.yml", "/nonexistent/rdmadiag-fuzz");
  if (!config) {
    // One line that says where.
    const std::string message = config.error().message();
    if (!message.starts_with("web.yml:") || message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  for (const auto& [name, value] : config->headers) {
    if (value.find_first_of("\r\n") != std::string::npos) std::abort();
  }
  for (const auto& [user, hash] : config->users) {
    if (user.empty() || hash.size() != 60) std::abort();
  }
  if (config->tls) (void)tls_priority(*config->tls);
  return 0;
}
