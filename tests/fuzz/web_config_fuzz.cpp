// A web configuration file with anything in it, up to the TLS settings made of it. File names lead
// to a folder that does not exist.
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "exporters/tls_priority.h"
#include "exporters/web_config.h"

using namespace rdmadiag::exporters;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_web_config(text, "web.yml", "/nonexistent/rdmadiag-fuzz");
  if (!config) {
    // Every line says where: none is made by a line break of the file's.
    std::istringstream lines(config.error().message());
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      if (!line.starts_with("web.yml:")) std::abort();
    }
    if (count == 0) std::abort();
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
