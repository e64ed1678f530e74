#include "exporters/html_report.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "agent/core/changes.h"
#include "agent/core/gid.h"
#include "exporters/html_chart.h"
#include "exporters/html_sections.h"
#include "exporters/json.h"

namespace rdmadiag::exporters {
namespace {

using Looks = std::vector<std::shared_ptr<const core::HostSnapshot>>;
using PortName = std::pair<std::string, std::uint32_t>;

void write_gids(const core::HostSnapshot& host, HtmlWriter& out) {
  out.open_section("gids", "GIDs");
  out.open_table("gids", {"Port", {"Index", "number"}, "GID", "Type", "Netdev", "Probes"});
  std::size_t rows = 0;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      const core::GidChoice chosen = core::choose_gid(port.gids, entry.snapshot->protocol);
      for (const core::GidEntry& gid : port.gids) {
        if (++rows > kMaxPageRows) continue;
        out.open_row();
        out.row_head(entry.name + " port " + std::to_string(port.number));
        out.cell(std::to_string(gid.index), "number");
        out.cell(core::format_gid(gid.gid), "path");
        out.cell(core::gid_type_name(gid.type));
        out.cell(gid.netdev);
        out.cell(chosen.entry && chosen.entry->index == gid.index ? "use it: " + chosen.reason
                                                                  : "");
        out.close_row();
      }
    }
  }
  out.close_table();
  write_rest(rows, out);
  out.close_section();
}

// What each step between two looks gave, by port and counter.
class History {
 public:
  explicit History(const Looks& looks) {
    for (std::size_t i = 1; i < looks.size(); ++i) {
      const std::chrono::duration<double> at = looks[i]->taken_steady - looks[0]->taken_steady;
      seconds_.push_back(at.count());
      for (const core::DeviceChanges& device : core::host_changes(*looks[i - 1], *looks[i])) {
        for (const core::PortChanges& port : device.ports)
          for (const core::CounterChange& change : port.counters)
            note({device.name, port.number}, change);
      }
      for (auto& [port, counters] : ports_)
        for (auto& [name, line] : counters) line.values.resize(seconds_.size());
    }
  }

  [[nodiscard]] std::vector<Chart> charts() const {
    std::vector<Chart> out;
    for (const auto& [port, counters] : ports_) {
      const std::string title = port.first + " port " + std::to_string(port.second);
      Chart traffic{title + ": traffic", "Gb/s", seconds_, {}};
      Chart events{title + ": errors and events that moved", "1/s", seconds_, {}};
      for (const auto& [name, line] : counters) {
        if (line.is_traffic) {
          traffic.series.push_back({name, line.values});
        } else if (line.moved) {
          events.series.push_back({name, line.values});
        }
      }
      out.push_back(std::move(traffic));
      if (!events.series.empty()) out.push_back(std::move(events));
    }
    return out;
  }

 private:
  struct Line {
    std::vector<std::optional<double>> values;
    bool is_traffic = false;
    bool moved = false;
  };

  void note(const PortName& port, const core::CounterChange& change) {
    const core::CounterSpec* spec = change.sample.spec;
    if (spec == nullptr) return;
    const std::string_view metric = spec->metric->name;
    const bool is_traffic =
        metric == "rdma_port_rx_bytes_total" || metric == "rdma_port_tx_bytes_total";
    if (!is_traffic && spec->severity == core::Severity::kInfo) return;
    Line& line = ports_[port][std::string(change.sample.name())];
    line.is_traffic = is_traffic;
    line.moved = line.moved || change.increase.value_or(0) > 0;
    line.values.resize(seconds_.size());
    line.values.back() = change.per_second;
    if (is_traffic && change.per_second) line.values.back() = *change.per_second * 8 / 1e9;
  }

  std::vector<double> seconds_;
  std::map<PortName, std::map<std::string, Line>> ports_;
};

void write_plots(const Looks& looks, HtmlWriter& out) {
  out.open_section("plots", "Plots");
  if (looks.size() < 3) {
    out.markup("<p>There were not enough looks to draw a line.</p>\n");
  } else {
    const std::vector<Chart> charts = History(looks).charts();
    for (std::size_t i = 0; i < std::min(charts.size(), kMaxPageRows); ++i)
      write_chart(charts[i], out);
  }
  out.close_section();
}

void write_text(std::string_view id, std::string_view heading, const std::string& text,
                HtmlWriter& out) {
  if (text.empty()) return;
  out.open_section(id, heading);
  out.markup("<details><summary>");
  out.text(grouped(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'))) +
           " lines");
  out.markup("</summary><pre>");
  out.preformatted(text);
  out.markup("</pre></details>\n");
  out.close_section();
}

void write_head(const core::HostSnapshot& host, HtmlWriter& out) {
  out.markup(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  out.text((host.hostname.empty() ? std::string("RDMA") : host.hostname) + " · report");
  out.markup("</title>\n<style>\n");
  out.markup(page_style());
  out.markup(chart_style());
  out.markup("</style>\n</head>\n<body>\n");
}

}  // namespace

std::string render_report(const ReportInput& input) {
  const core::HostSnapshot& now = *input.looks.back();
  const core::HostSnapshot* first = input.looks.size() > 1 ? input.looks.front().get() : nullptr;
  const PageInput page{.now = now, .at_start = first, .previous = first, .agent = input.agent};
  HtmlWriter out;
  write_head(now, out);
  write_header(page, out);
  out.markup("<main id=\"main\">\n");
  write_findings(input.agent.diagnosis, out);
  write_ports(page, out);
  write_moving_counters(page, out);
  write_plots(input.looks, out);
  write_bursts(input.agent, out);
  write_gids(now, out);
  write_devices(page, out);
  write_sources(page, out);
  write_text("config", "Configuration", input.config, out);
  write_text("snapshot", "Snapshot as JSON", render_json(now, input.agent, JsonLayout::kIndented),
             out);
  out.markup("</main>\n<footer><p>rdmadiag report ");
  out.text(input.agent.version);
  out.markup("</p></footer>\n</body>\n</html>\n");
  return out.take();
}

}  // namespace rdmadiag::exporters
