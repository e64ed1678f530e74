// The GID, counter and queue pair tables.
#include <algorithm>
#include <cmath>

#include "agent/core/diagnose/evidence.h"
#include "agent/core/gid.h"
#include "exporters/text.h"
#include "exporters/words.h"

namespace rdmadiag::exporters {
namespace {

using core::CounterChange;

bool is_of_class(const CounterChange& change, const std::vector<std::string>& classes) {
  if (classes.empty()) return true;
  if (change.sample.spec == nullptr) return false;
  return std::find(classes.begin(), classes.end(), change.sample.spec->counter_class) !=
         classes.end();
}

std::string value_text(const CounterChange& change, bool raw) {
  const core::CounterSpec* spec = change.sample.spec;
  if (raw || spec == nullptr || spec->scale == 1) return grouped(change.sample.value);
  const double scaled = static_cast<double>(change.sample.value) * spec->scale;
  if (scaled == std::floor(scaled) && scaled < 1e15) {
    return grouped(static_cast<std::uint64_t>(scaled));
  }
  return core::number_text(scaled);
}

std::string rate_of(const CounterChange& change) {
  if (change.reset) return "reset";
  if (!change.per_second) return {};
  const core::MetricSpec* metric = change.sample.spec ? change.sample.spec->metric : nullptr;
  return per_second_text(*change.per_second, metric ? metric->name : std::string_view());
}

Paint paint_of(const CounterChange& change) {
  if (change.saturated || change.reset) return Paint::kWarning;
  const core::CounterSpec* spec = change.sample.spec;
  if (spec == nullptr || change.increase.value_or(0) == 0) return Paint::kPlain;
  switch (spec->severity) {
    case core::Severity::kInfo: return Paint::kPlain;
    case core::Severity::kWarn: return Paint::kWarning;
    case core::Severity::kCritical: return Paint::kBad;
  }
  return Paint::kPlain;
}

std::string counter_block(const std::string& title, std::span<const CounterChange> changes,
                          const CounterSelection& selection, const TerminalStyle& style) {
  Table table({{.title = "COUNTER"},
               {.title = "METRIC"},
               {.title = "VALUE", .align = Align::kRight},
               {.title = "RATE", .align = Align::kRight},
               {.title = "CLASS"},
               {.title = "MEANING", .least_width = 12}});
  for (const CounterChange& change : changes) {
    if (!is_selected(change, selection)) continue;
    const core::CounterSpec* spec = change.sample.spec;
    Cell value(value_text(change, selection.raw), paint_of(change));
    if (change.saturated) value.text += " (saturated)";
    table.add_row({Cell(std::string(change.sample.name())),
                   Cell(spec && selection.raw ? std::string(spec->metric->name) : std::string()),
                   value, Cell(rate_of(change), paint_of(change)),
                   Cell(spec ? std::string(spec->counter_class) : std::string("?")),
                   Cell(spec ? std::string(spec->meaning) : std::string())});
  }
  if (table.empty()) return {};
  return painted(title, Paint::kBold, style) + "\n" + table.render(style);
}

std::string gid_reason(const core::DeviceSnapshot& device, const core::PortSnapshot& port,
                       const core::GidChoice& choice, const TerminalStyle& style) {
  const std::string used = choice.entry ? "index " + std::to_string(choice.entry->index) : "none";
  return wrapped(device.name + " port " + std::to_string(port.number) + " uses " + used + ": " +
                     choice.reason,
                 2, style) +
         "\n";
}

}  // namespace

bool is_selected(const CounterChange& change, const CounterSelection& selection) {
  if (!is_of_class(change, selection.classes)) return false;
  if (!selection.nonzero) return true;
  if (change.reset || change.saturated) return true;
  return change.increase ? *change.increase > 0 : change.sample.value > 0;
}

std::string render_counters(std::span<const core::DeviceChanges> changes,
                            const CounterSelection& selection, const TerminalStyle& style) {
  std::string out;
  const auto append = [&](const std::string& block) {
    if (block.empty()) return;
    if (!out.empty()) out += "\n";
    out += block;
  };
  for (const core::DeviceChanges& device : changes) {
    append(counter_block(device.name, device.counters, selection, style));
    for (const core::PortChanges& port : device.ports) {
      append(counter_block(device.name + " port " + std::to_string(port.number), port.counters,
                           selection, style));
    }
  }
  return out;
}

std::string render_gids(const core::HostSnapshot& host, const TerminalStyle& style) {
  Table table({{.title = "DEVICE", .least_width = 8},
               {.title = "PORT"},
               {.title = "INDEX", .align = Align::kRight},
               {.title = "GID"},
               {.title = "TYPE"},
               {.title = "NETDEV", .least_width = 6},
               {.title = "USED"}});
  std::string reasons;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot) {
      reasons += wrapped(entry.name + ": " + absent_state(entry).text, 2, style) + "\n";
      continue;
    }
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      const core::GidChoice choice = core::choose_gid(port.gids, entry.snapshot->protocol);
      for (const core::GidEntry& gid : port.gids) {
        const bool used = choice.entry && choice.entry->index == gid.index;
        table.add_row({Cell(entry.name), Cell(std::to_string(port.number)),
                       Cell(std::to_string(gid.index)), Cell(core::format_gid(gid.gid)),
                       Cell(std::string(core::gid_type_name(gid.type))), Cell(gid.netdev),
                       used ? Cell("*", Paint::kGood) : Cell()});
      }
      reasons += gid_reason(*entry.snapshot, port, choice, style);
    }
  }
  std::string out = table.render(style);
  if (!out.empty() && !reasons.empty()) out += "\n";
  return out + reasons;
}

std::string render_queue_pairs(const core::HostSnapshot& host, std::optional<int> state,
                               const TerminalStyle& style) {
  Table table({{.title = "DEVICE", .least_width = 8},
               {.title = "PORT"},
               {.title = "QPN", .align = Align::kRight},
               {.title = "REMOTE", .align = Align::kRight},
               {.title = "TYPE"},
               {.title = "STATE"},
               {.title = "PID", .align = Align::kRight},
               {.title = "OWNER", .least_width = 8}});
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot || !entry.snapshot->queue_pairs) continue;
    for (const core::QueuePair& pair : *entry.snapshot->queue_pairs) {
      if (state && pair.state != *state) continue;
      const std::string state_name = core::qp_state_name(pair.state);
      const bool failed = state_name == "ERR" || state_name == "SQE";
      table.add_row({Cell(entry.name), Cell(pair.port == 0 ? "" : std::to_string(pair.port)),
                     Cell(std::to_string(pair.local_qpn)),
                     Cell(pair.remote_qpn ? std::to_string(*pair.remote_qpn) : ""),
                     Cell(core::qp_type_name(pair.type)),
                     Cell(state_name, failed ? Paint::kBad : Paint::kPlain),
                     Cell(pair.pid ? std::to_string(*pair.pid) : ""), Cell(pair.owner)});
    }
  }
  return table.render(style);
}

}  // namespace rdmadiag::exporters
