#include "agent/cli/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rdmadiag::cli {
namespace {

using exporters::Align;
using exporters::Table;
using exporters::TerminalStyle;

constexpr double kMicro = 1e6;
constexpr double kGiga = 1e9;
constexpr std::size_t kFewestSizes = 3;
constexpr double kKneeShare = 0.9;

std::string micros(double seconds) {
  const double value = seconds * kMicro;
  return fmt::format("{:.{}f}", value, value < 100 ? 2 : value < 1000 ? 1 : 0);
}

std::string giga(double value) {
  const double scaled = value / kGiga;
  return fmt::format("{:.{}f}", scaled, scaled < 1 ? 4 : scaled < 10 ? 3 : 2);
}

std::vector<exporters::Cell> latency_cells(const probes::LatencyFigures& figures) {
  return {std::to_string(figures.count), micros(figures.least), micros(figures.typical),
          micros(figures.average),       micros(figures.p50),   micros(figures.p99),
          micros(figures.p999),          micros(figures.most)};
}

std::vector<exporters::Column> latency_columns() {
  return {{"SAMPLES", Align::kRight},  {"MIN us", Align::kRight}, {"TYPICAL us", Align::kRight},
          {"AVG us", Align::kRight},   {"P50 us", Align::kRight}, {"P99 us", Align::kRight},
          {"P99.9 us", Align::kRight}, {"MAX us", Align::kRight}};
}

std::string latency_table(const BenchRun& run, const TerminalStyle& style) {
  std::vector<exporters::Column> columns = latency_columns();
  columns.insert(columns.begin(), exporters::Column{"SIZE", Align::kRight});
  Table table(std::move(columns));
  for (const BenchRow& row : run.rows) {
    if (!row.latency) continue;
    std::vector<exporters::Cell> cells = latency_cells(*row.latency);
    cells.insert(cells.begin(), probes::bench_size_name(row.size));
    table.add_row(std::move(cells));
  }
  return table.empty() ? "" : "latency\n" + table.render(style);
}

std::string bandwidth_table(const BenchRun& run, const TerminalStyle& style) {
  Table table({{"SIZE", Align::kRight},
               {"MESSAGES", Align::kRight},
               {"PEAK GB/s", Align::kRight},
               {"AVG GB/s", Align::kRight},
               {"AVG Gb/s", Align::kRight},
               {"Mmsg/s", Align::kRight},
               {"PEER GB/s", Align::kRight},
               {"ARRIVED", Align::kRight}});
  for (const BenchRow& row : run.rows) {
    if (!row.bandwidth) continue;
    const probes::BandwidthFigures& figures = *row.bandwidth;
    table.add_row({probes::bench_size_name(row.size), std::to_string(figures.messages),
                   giga(figures.peak), giga(figures.average), giga(figures.average * 8),
                   fmt::format("{:.4f}", figures.rate / kMicro),
                   row.peer_bandwidth ? giga(row.peer_bandwidth->average) : "",
                   row.received_ratio ? fmt::format("{:.1f}%", *row.received_ratio * 100) : ""});
  }
  return table.empty() ? "" : "bandwidth\n" + table.render(style);
}

std::string registration_table(const BenchRun& run, const TerminalStyle& style) {
  Table table({{"SIZE", Align::kRight},
               {"SAMPLES", Align::kRight},
               {"REGISTER p50 us", Align::kRight},
               {"p99 us", Align::kRight},
               {"RELEASE p50 us", Align::kRight},
               {"p99 us", Align::kRight}});
  for (const RegistrationRow& row : run.registration) {
    table.add_row({probes::bench_size_name(row.size), std::to_string(row.registering.count),
                   micros(row.registering.p50), micros(row.registering.p99),
                   micros(row.releasing.p50), micros(row.releasing.p99)});
  }
  return table.empty() ? "" : "registering memory\n" + table.render(style);
}

std::string repeated(std::string_view mark, std::size_t count) {
  std::string bar;
  for (std::size_t i = 0; i < count; ++i) bar.append(mark);
  return bar;
}

struct Bar {
  std::string label = {};
  double share = 0;  // of the longest one, 0 to 1
  std::string value = {};
};

std::string bars(std::string_view title, const std::vector<Bar>& rows, const TerminalStyle& style) {
  std::size_t label = 0;
  std::size_t value = 0;
  for (const Bar& bar : rows) {
    label = std::max(label, bar.label.size());
    value = std::max(value, bar.value.size());
  }
  const std::size_t used = label + value + 4;
  const std::size_t room =
      style.width > used + 10 ? std::min<std::size_t>(style.width - used, 60) : 10;
  std::string text = std::string(title) + "\n";
  for (const Bar& bar : rows) {
    const auto length =
        static_cast<std::size_t>(std::lround(bar.share * static_cast<double>(room)));
    text += fmt::format("{:>{}}  {} {}\n", bar.label, label,
                        repeated(style.utf8 ? "█" : "#", std::clamp<std::size_t>(length, 1, room)),
                        bar.value);
  }
  return text;
}

std::string latency_bars(const BenchRun& run, const TerminalStyle& style) {
  std::vector<Bar> rows;
  double least = 0;
  double most = 0;
  for (const BenchRow& row : run.rows) {
    if (!row.latency || row.latency->p50 <= 0) continue;
    const double value = std::log(row.latency->p50);
    least = rows.empty() ? value : std::min(least, value);
    most = rows.empty() ? value : std::max(most, value);
    rows.push_back({probes::bench_size_name(row.size), value, micros(row.latency->p50) + " us"});
  }
  if (rows.size() < kFewestSizes) return "";
  // The shortest bar stands for half of the least latency, so that it is one.
  const double floor = least - std::log(2.0);
  for (Bar& bar : rows) bar.share = (bar.share - floor) / (most - floor);
  return bars("typical latency over size (logarithmic)", rows, style);
}

std::string bandwidth_bars(const BenchRun& run, const TerminalStyle& style) {
  std::vector<Bar> rows;
  double most = run.line_rate.value_or(0);
  const auto knee = bench_knee(run);
  for (const BenchRow& row : run.rows) {
    if (!row.bandwidth) continue;
    const double bits = row.bandwidth->average * 8;
    most = std::max(most, bits);
    rows.push_back({probes::bench_size_name(row.size), bits,
                    giga(bits) + " Gb/s" + (knee == row.size ? " knee" : "")});
  }
  if (rows.size() < kFewestSizes || most <= 0) return "";
  if (run.line_rate) rows.push_back({"line", *run.line_rate, giga(*run.line_rate) + " Gb/s"});
  for (Bar& bar : rows) bar.share /= most;
  return bars("average bandwidth over size", rows, style);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return result;
}

}  // namespace

std::optional<std::uint32_t> bench_knee(const BenchRun& run) {
  double best = 0;
  std::size_t count = 0;
  for (const BenchRow& row : run.rows) {
    if (!row.bandwidth) continue;
    best = std::max(best, row.bandwidth->average);
    ++count;
  }
  if (count < kFewestSizes) return std::nullopt;
  for (const BenchRow& row : run.rows) {
    if (row.bandwidth && row.bandwidth->average >= kKneeShare * best) return row.size;
  }
  return std::nullopt;
}

std::string bench_heading(const BenchRun& run, const TerminalStyle& style) {
  const probes::BenchPlan& plan = run.plan;
  std::string text;
  if (run.registration.empty()) {
    text = fmt::format(
        "{} {} from {} port {} to {} {}, MTU {}, depth {}, inline {}{}{}{}\n",
        upper(probes::kBenchTransportNames.at(static_cast<std::size_t>(plan.transport))),
        probes::kBenchOperationNames.at(static_cast<std::size_t>(plan.operation)), run.device,
        run.port, run.peer, run.peer_device, run.mtu_bytes, plan.depth, run.inline_bytes,
        plan.pairs > 1 ? fmt::format(", {} queue pairs", plan.pairs) : "",
        plan.bidirectional ? ", both ends send" : "", plan.events ? ", sleeping on events" : "");
    text += "threads here: " + run.placement + "; at the peer: " + run.peer_placement + "\n";
  } else {
    text = run.device + ": thread " + run.placement + "\n";
  }
  std::string safe;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    safe += exporters::wrapped(exporters::terminal_text(text.substr(begin, end - begin), style), 2,
                               style);
    if (!safe.empty() && safe.back() != '\n') safe += '\n';
    begin = end + 1;
  }
  return safe;
}

std::string bench_tables(const BenchRun& run, const TerminalStyle& style) {
  std::string text;
  for (const std::string& table :
       {latency_table(run, style), bandwidth_table(run, style), registration_table(run, style)}) {
    if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
  }
  return text;
}

std::string bench_curves(const BenchRun& run, const TerminalStyle& style) {
  std::string text;
  for (const std::string& curve : {latency_bars(run, style), bandwidth_bars(run, style)}) {
    if (!curve.empty()) text += "\n" + curve;
  }
  return text;
}

}  // namespace rdmadiag::cli
