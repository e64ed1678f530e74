#include "agent/cli/bench_compare.h"

#include <fmt/format.h>

#include <algorithm>

namespace rdmadiag::cli {
namespace {

BenchJudgement::Line judge(std::uint32_t size, std::string what, double stored, double now,
                           double ratio, double tolerance) {
  BenchJudgement::Line line{
      .size = size, .what = std::move(what), .stored = stored, .now = now, .ratio = ratio};
  if (ratio < 1 - 2 * tolerance) {
    line.severity = 2;
  } else if (ratio < 1 - tolerance) {
    line.severity = 1;
  }
  return line;
}

std::string amount(const BenchJudgement::Line& line, double value) {
  const bool is_time = line.what.find("latency") != std::string::npos;
  return is_time ? fmt::format("{:.2f} us", value * 1e6) : fmt::format("{:.3f} Gb/s", value * 8e-9);
}

}  // namespace

int BenchJudgement::worst() const {
  int worst = 0;
  for (const Line& line : lines) worst = std::max(worst, line.severity);
  return worst;
}

core::Result<BenchJudgement> judge_bench(const BenchRun& now, const BenchRun& stored,
                                         double tolerance) {
  if (now.plan.operation != stored.plan.operation || now.plan.transport != stored.plan.transport ||
      now.plan.bidirectional != stored.plan.bidirectional || now.plan.pairs != stored.plan.pairs) {
    return core::fail(
        "the stored run is another one: operation, transport, --qps and --bidirectional must be "
        "the same");
  }
  BenchJudgement judgement;
  for (const BenchRow& row : now.rows) {
    const auto before = std::ranges::find(stored.rows, row.size, &BenchRow::size);
    if (before == stored.rows.end()) continue;
    if (row.latency && before->latency && row.latency->p50 > 0) {
      judgement.lines.push_back(judge(row.size, "latency p50", before->latency->p50,
                                      row.latency->p50, before->latency->p50 / row.latency->p50,
                                      tolerance));
    }
    if (row.bandwidth && before->bandwidth && before->bandwidth->average > 0) {
      judgement.lines.push_back(
          judge(row.size, "average bandwidth", before->bandwidth->average, row.bandwidth->average,
                row.bandwidth->average / before->bandwidth->average, tolerance));
    }
  }
  if (judgement.lines.empty()) {
    return core::fail("the stored run and this one have no figure of the same size");
  }
  return judgement;
}

std::string judgement_table(const BenchJudgement& judgement,
                            const exporters::TerminalStyle& style) {
  using exporters::Align;
  using exporters::Paint;
  exporters::Table table({{"SIZE", Align::kRight},
                          {"FIGURE"},
                          {"STORED", Align::kRight},
                          {"NOW", Align::kRight},
                          {"RATIO", Align::kRight},
                          {"VERDICT"}});
  for (const BenchJudgement::Line& line : judgement.lines) {
    const exporters::Cell verdict = line.severity == 2   ? exporters::Cell("far worse", Paint::kBad)
                                    : line.severity == 1 ? exporters::Cell("worse", Paint::kWarning)
                                                         : exporters::Cell("fine", Paint::kGood);
    table.add_row({probes::bench_size_name(line.size), line.what, amount(line, line.stored),
                   amount(line, line.now), fmt::format("{:.2f}", line.ratio), verdict});
  }
  return "beside the stored run (ratio above 1: better)\n" + table.render(style);
}

}  // namespace rdmadiag::cli
