// What happened between scrapes, where the burst sampler is on.
#include "exporters/html_sections.h"
#include "exporters/words.h"

namespace rdmadiag::exporters {
namespace {

using core::BurstCounter;
using Values = core::PerBurstCounter<std::optional<double>>;

std::optional<double> of(const Values& values, BurstCounter counter) {
  return values[static_cast<std::size_t>(counter)];
}

void write_rate(const core::BurstStatus& port, BurstCounter counter, std::string_view metric,
                HtmlWriter& out) {
  const auto peak = of(port.peak_per_second, counter);
  out.cell(peak ? per_second_text(*peak, metric) : "", "short");
}

void write_time(const std::optional<double>& seconds, HtmlWriter& out) {
  using Nanoseconds = std::chrono::nanoseconds;
  out.cell(seconds ? age_text(std::chrono::duration_cast<Nanoseconds>(
                         std::chrono::duration<double>(*seconds)))
                   : "",
           "short");
}

void write_port(const core::BurstDevice& device, const core::BurstStatus& port, HtmlWriter& out) {
  out.open_row();
  out.row_head(device.device + " port " + std::to_string(port.port));
  write_rate(port, BurstCounter::kRxBytes, "_bytes", out);
  write_rate(port, BurstCounter::kTxBytes, "_bytes", out);
  write_time(of(port.near_line_seconds, BurstCounter::kRxBytes), out);
  write_time(of(port.near_line_seconds, BurstCounter::kTxBytes), out);
  write_time(of(port.longest_pause_seconds, BurstCounter::kRxPause), out);
  write_time(of(port.longest_pause_seconds, BurstCounter::kTxPause), out);
  write_rate(port, BurstCounter::kDiscards, "total", out);
  write_rate(port, BurstCounter::kEcnMarks, "total", out);
  out.close_row();
}

}  // namespace

void write_bursts(const core::AgentStatus& agent, HtmlWriter& out) {
  if (agent.bursts.empty()) return;
  out.open_section("bursts", "Bursts between scrapes");
  out.open_table("bursts", {"Port",
                            {"Peak received", "short"},
                            {"Peak sent", "short"},
                            {"Receiving near line rate", "short"},
                            {"Sending near line rate", "short"},
                            {"Longest pause, had to wait", "short"},
                            {"Longest pause, made others wait", "short"},
                            {"Peak discards", "short"},
                            {"Peak ECN marks", "short"}});
  std::size_t rows = 0;
  for (const core::BurstDevice& device : agent.bursts) {
    for (const core::BurstStatus& port : device.ports) {
      if (++rows <= kMaxPageRows) write_port(device, port, out);
    }
  }
  out.close_table();
  write_rest(rows, out);
  out.close_section();
}

}  // namespace rdmadiag::exporters
