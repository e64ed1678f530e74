// `rdmadiag bench --server`: lets others measure against this host until it is interrupted.
#pragma once

#include <string>

#include "agent/cli/world.h"
#include "probes/bench/placement.h"

namespace rdmadiag::cli {

struct BenchServerWishes {
  std::string listen = {};           // as the daemon's --web.listen-address
  std::string web_config_file = {};  // TLS and users; empty: neither
  std::string device = {};           // empty: whichever the other end fits
  probes::BenchPlacement placement = {};
};

// Gives the exit code.
[[nodiscard]] int serve_bench(const Context& context, const BenchServerWishes& wishes);

}  // namespace rdmadiag::cli
