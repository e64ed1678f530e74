#include "agent/cli/counters_json.h"

#include <nlohmann/json.hpp>

#include "agent/cli/words.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;

template <class T>
json optional_json(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const core::CounterChange& change) {
  json out = {{"source", source_word(change.sample.source)},
              {"name", exporters::valid_utf8(change.sample.name())},
              {"value", change.sample.value},
              {"increase", optional_json(change.increase)},
              {"per_second", optional_json(change.per_second)},
              {"reset", change.reset},
              {"saturated", change.saturated},
              {"catalogued", change.sample.spec != nullptr}};
  if (const core::CounterSpec* spec = change.sample.spec) {
    out["driver"] = spec->driver;
    out["metric"] = spec->metric->name;
    out["unit"] = spec->unit;
    out["scale"] = spec->scale;
    out["class"] = spec->counter_class;
    out["severity"] = severity_word(spec->severity);
    out["meaning"] = spec->meaning;
    if (!spec->index.empty()) out["index"] = spec->index;
  }
  return out;
}

json list_json(const std::vector<core::CounterChange>& changes,
               const exporters::CounterSelection& selection) {
  json out = json::array();
  for (const core::CounterChange& change : changes) {
    if (exporters::is_selected(change, selection)) out.push_back(to_json(change));
  }
  return out;
}

}  // namespace

std::string counters_json(std::span<const core::DeviceChanges> changes,
                          const exporters::CounterSelection& selection) {
  json devices = json::array();
  for (const core::DeviceChanges& device : changes) {
    json ports = json::array();
    for (const core::PortChanges& port : device.ports) {
      ports.push_back({{"port", port.number}, {"counters", list_json(port.counters, selection)}});
    }
    devices.push_back({{"device", exporters::valid_utf8(device.name)},
                       {"interval_seconds", std::chrono::duration<double>(device.interval).count()},
                       {"counters", list_json(device.counters, selection)},
                       {"ports", std::move(ports)}});
  }
  return json{{"schema_version", 1}, {"devices", devices}}.dump(2);
}

}  // namespace rdmadiag::cli
