// The request target as RFC 3986 and the form encoding spell it: "/metrics?collect[]=a%20b".
#pragma once

#include <string>
#include <string_view>

#include "agent/core/result.h"
#include "exporters/http_message.h"

namespace rdmadiag::exporters {

struct HttpTarget {
  std::string path;
  HttpFields query;
};

// Fails on an escape that is not two hex digits, on an escaped or raw NUL, and on more than 64
// parameters; the message is fit for the client. '+' is a space in the query only.
[[nodiscard]] core::Result<HttpTarget> parse_http_target(std::string_view target);

}  // namespace rdmadiag::exporters
