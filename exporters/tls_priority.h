// The web configuration's TLS versions, cipher suites and curves (Go's names) as a GnuTLS priority
// string.
#pragma once

#include <string>

#include "agent/core/result.h"
#include "exporters/web_config.h"

namespace rdmadiag::exporters {

// GnuTLS allows every combination of the key exchanges, ciphers and MACs it is given. A list of
// suites whose combinations would allow one more than it names is an error, not a surprise.
[[nodiscard]] core::Result<std::string> tls_priority(const TlsServerConfig& config);

}  // namespace rdmadiag::exporters
