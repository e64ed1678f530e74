// Judges a run of `bench` by a stored one, for the acceptance of new hosts. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/cli/bench_run.h"
#include "agent/core/result.h"
#include "exporters/table.h"

namespace rdmadiag::cli {

struct BenchJudgement {
  struct Line {
    std::uint32_t size = 0;
    std::string what = {};  // "latency p50", "average bandwidth"
    double stored = 0;
    double now = 0;
    double ratio = 1;  // above 1: better
    int severity = 0;  // 0 fine, 1 worse than the tolerance, 2 worse than twice of it
  };
  std::vector<Line> lines;  // of sizes that both have
  [[nodiscard]] int worst() const;
};

// `tolerance` is a share, 0.1 for a tenth: of the latency that may be added, of the bandwidth that
// may be missing. An error when the runs cannot be compared.
[[nodiscard]] core::Result<BenchJudgement> judge_bench(const BenchRun& now, const BenchRun& stored,
                                                       double tolerance);

[[nodiscard]] std::string judgement_table(const BenchJudgement& judgement,
                                          const exporters::TerminalStyle& style);

}  // namespace rdmadiag::cli
