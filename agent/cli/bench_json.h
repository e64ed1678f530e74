// A run of `bench` for machines: JSON (docs/schemas/bench.schema.json) and CSV, and JSON read back.
#pragma once

#include <string>
#include <string_view>

#include "agent/cli/bench_run.h"
#include "agent/core/result.h"

namespace rdmadiag::cli {

[[nodiscard]] std::string bench_json(const BenchRun& run);
// One line for each size, after one that names the columns; what was not measured is empty.
[[nodiscard]] std::string bench_csv(const BenchRun& run);
// As far as a comparison needs it; the error says what is wrong with the document.
[[nodiscard]] core::Result<BenchRun> read_bench_json(std::string_view text);

}  // namespace rdmadiag::cli
