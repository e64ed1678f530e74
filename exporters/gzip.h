// Response compression: whether the client takes gzip, and doing it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rdmadiag::exporters {

// Reads an Accept-Encoding header (RFC 9110 §12.5.3): gzip, x-gzip or * with a weight above 0.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

// At zlib's fastest level: a scrape is paid for in CPU, on a host that has better things to do.
// Empty when zlib has no memory; the caller then sends the text as it is.
[[nodiscard]] std::optional<std::string> gzip(std::string_view text);

}  // namespace rdmadiag::exporters
