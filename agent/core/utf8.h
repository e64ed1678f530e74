// Text from outside made fit for JSON, Prometheus and terminals, which all want UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace rdmadiag::core {

// Each byte that is not part of well-formed UTF-8 becomes U+FFFD.
[[nodiscard]] std::string to_utf8(std::string_view bytes);

[[nodiscard]] bool is_utf8(std::string_view bytes);

}  // namespace rdmadiag::core
