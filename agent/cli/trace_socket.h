// Datagrams with a short life over the kernel's UDP sockets, and the ICMP errors they meet.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "probes/path_trace.h"

namespace rdmadiag::cli {

struct TraceEnds {
  std::string from = {};  // our address; empty: the kernel chooses
  std::string to = {};
  int traffic_class = 0;
};

[[nodiscard]] bool is_ip_address(const std::string& text);

// Needs no privilege: the kernel hands a socket the ICMP errors of its own datagrams. Waits half a
// second for an answer. Fails when `to` is no IP address.
[[nodiscard]] core::Result<std::unique_ptr<probes::TraceNetwork>> open_trace(const TraceEnds& ends);

}  // namespace rdmadiag::cli
