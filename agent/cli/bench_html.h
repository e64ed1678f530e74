// A run of `bench` as one page for a ticket: nothing in it is fetched from elsewhere. Pure.
#pragma once

#include <string>

#include "agent/cli/bench_run.h"
#include "agent/core/clock.h"

namespace rdmadiag::cli {

[[nodiscard]] std::string bench_page(const BenchRun& run, core::SystemTime when);

}  // namespace rdmadiag::cli
