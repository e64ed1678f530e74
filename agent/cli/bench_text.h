// A run of `bench` for people: tables, and bars that show how figures change with size. Pure.
#pragma once

#include <string>

#include "agent/cli/bench_run.h"
#include "exporters/table.h"

namespace rdmadiag::cli {

// One or two lines: who measured what against whom, and where the threads ran.
[[nodiscard]] std::string bench_heading(const BenchRun& run, const exporters::TerminalStyle& style);

// A table for each figure that was measured.
[[nodiscard]] std::string bench_tables(const BenchRun& run, const exporters::TerminalStyle& style);

// The typical latency, on a logarithmic scale, and the average bandwidth with knee and line rate;
// empty for fewer than three sizes.
[[nodiscard]] std::string bench_curves(const BenchRun& run, const exporters::TerminalStyle& style);

}  // namespace rdmadiag::cli
