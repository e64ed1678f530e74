// The kernel's counters under the catalogue's names. One metric of one device and scope is the sum
// of all its sources there.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <tuple>

#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

using core::CounterSample;
using core::CounterSource;
using core::MetricSpec;

core::Source source_of(CounterSource source) {
  switch (source) {
    case CounterSource::kPortCounters: return core::Source::kSysfsCounters;
    case CounterSource::kPortHwCounters:
    case CounterSource::kDeviceHwCounters: return core::Source::kSysfsHwCounters;
    case CounterSource::kEthtool: return core::Source::kEthtool;
  }
  return core::Source::kSysfsCounters;
}

// What carries counters: a device, a port or a netdev.
struct Owner {
  std::string_view labels;
  std::span<const CounterSample> counters;
  const core::DeviceEntry* device = nullptr;
};

// Device after device: itself, its ports, its netdevs.
std::vector<Owner> owners_of(const HostView& view) {
  std::vector<Owner> owners;
  owners.reserve(view.devices.size() + view.ports.size() + view.netdevs.size());
  auto port = view.ports.begin();  // in the order of view.devices, as the netdevs are
  auto netdev = view.netdevs.begin();
  for (const DeviceView& device : view.devices) {
    if (device.device == nullptr) continue;
    owners.push_back({device.labels, device.device->counters, device.entry});
    for (; port != view.ports.end() && port->device == device.device; ++port) {
      owners.push_back({port->labels, port->port->counters, device.entry});
    }
    for (; netdev != view.netdevs.end() && netdev->device == device.device; ++netdev) {
      owners.push_back({netdev->labels, netdev->netdev->counters, device.entry});
    }
  }
  return owners;
}

// value × scale where that is an integer of 64 bits.
std::optional<std::uint64_t> whole_product(std::uint64_t value, double scale) {
  constexpr double kMaxScale = 4294967296.0;
  if (scale < 1 || scale > kMaxScale || scale != std::floor(scale)) return std::nullopt;
  const auto factor = static_cast<std::uint64_t>(scale);
  if (value > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return value * factor;
}

// A sum that stays an exact integer as long as it can.
class Total {
 public:
  void add(const CounterSample& sample) {
    const std::optional<std::uint64_t> whole = whole_product(sample.value, sample.spec->scale);
    if (exact_ && whole && *whole <= std::numeric_limits<std::uint64_t>::max() - integer_) {
      integer_ += *whole;
      return;
    }
    if (exact_) real_ = static_cast<double>(integer_);
    exact_ = false;
    real_ += static_cast<double>(sample.value) * sample.spec->scale;
  }

  void write(Exposition& out, std::string_view labels) const {
    if (exact_) {
      out.sample(labels, integer_);
    } else {
      out.sample(labels, real_);
    }
  }

 private:
  bool exact_ = true;
  std::uint64_t integer_ = 0;
  double real_ = 0;
};

struct Placed {
  std::uint32_t owner = 0;
  const CounterSample* sample = nullptr;
};

// All catalogued samples ordered by metric, then by owner; one metric's are
// [begin[m], begin[m + 1]).
struct ByMetric {
  std::vector<std::size_t> begin;
  std::vector<Placed> samples;
};

ByMetric group_by_metric(const HostView& view, const std::vector<Owner>& owners) {
  const std::span<const MetricSpec> metrics = core::all_metrics();
  const auto each = [&](const auto& visit) {
    for (std::uint32_t i = 0; i < owners.size(); ++i) {
      for (const CounterSample& sample : owners[i].counters) {
        if (sample.spec == nullptr || !view.wants(source_of(sample.source))) continue;
        visit(static_cast<std::size_t>(sample.spec->metric - metrics.data()), Placed{i, &sample});
      }
    }
  };
  ByMetric grouped;
  grouped.begin.assign(metrics.size() + 1, 0);
  each([&](std::size_t metric, const Placed&) { ++grouped.begin[metric + 1]; });
  for (std::size_t i = 1; i < grouped.begin.size(); ++i) grouped.begin[i] += grouped.begin[i - 1];
  grouped.samples.resize(grouped.begin.back());
  std::vector<std::size_t> next(grouped.begin.begin(), grouped.begin.end() - 1);
  each([&](std::size_t metric, const Placed& placed) { grouped.samples[next[metric]++] = placed; });
  return grouped;
}

// One metric of one owner, and of one index where the metric has an index label.
bool same_series(const Placed& a, const Placed& b) {
  return a.owner == b.owner && a.sample->spec->index == b.sample->spec->index;
}

bool series_order(const Placed& a, const Placed& b) {
  return std::tie(a.owner, a.sample->spec->index) < std::tie(b.owner, b.sample->spec->index);
}

void write_metric(const MetricSpec& metric, std::span<Placed> samples,
                  const std::vector<Owner>& owners, Exposition& out) {
  const bool indexed = !metric.index_label.empty();
  if (indexed) std::stable_sort(samples.begin(), samples.end(), series_order);
  const bool counter = metric.type == core::MetricType::kCounter;
  out.family(metric.name, counter ? FamilyType::kCounter : FamilyType::kGauge, metric.help);
  for (std::size_t i = 0; i < samples.size();) {
    const Placed& first = samples[i];
    Total total;
    // Without an index label the index is a detail of the kernel's name: all of an owner add up.
    const auto belongs = [&](const Placed& other) {
      return indexed ? same_series(other, first) : other.owner == first.owner;
    };
    for (; i < samples.size() && belongs(samples[i]); ++i) total.add(*samples[i].sample);
    if (!indexed) {
      total.write(out, owners[first.owner].labels);
      continue;
    }
    std::string labels(owners[first.owner].labels);
    append_label(labels, metric.index_label, first.sample->spec->index);
    total.write(out, labels);
  }
}

void write_catalogued(const HostView& view, const std::vector<Owner>& owners, Exposition& out) {
  const std::span<const MetricSpec> metrics = core::all_metrics();
  ByMetric grouped = group_by_metric(view, owners);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const std::size_t count = grouped.begin[m + 1] - grouped.begin[m];
    if (count == 0) continue;
    write_metric(metrics[m], std::span(grouped.samples).subspan(grouped.begin[m], count), owners,
                 out);
  }
}

void write_saturated(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kSysfsCounters)) return;
  out.family("rdma_port_counters_saturated", FamilyType::kGauge,
             "1 for each fixed-width field of ports/N/counters that stands at its maximum: it will "
             "not move again, so no increase means nothing.");
  for (const PortView& port : view.ports) {
    for (const CounterSample& sample : port.port->counters) {
      if (sample.source != CounterSource::kPortCounters || !sample.saturated()) continue;
      std::string labels = port.labels;
      append_label(labels, "counter", sample.name());
      out.sample(labels, 1);
    }
  }
}

void write_uncatalogued(const HostView& view, const std::vector<Owner>& owners, Exposition& out) {
  std::vector<std::pair<const core::DeviceEntry*, bool>> truncated;
  const core::DeviceEntry* current = nullptr;
  std::set<std::string> seen;  // this device's: two names may look the same once made valid UTF-8
  out.family(
      "rdma_uncatalogued_counters", FamilyType::kUntyped,
      "Counters of ports/N/counters, ports/N/hw_counters, hw_counters and ethtool -S that the "
      "catalogue does not know, as the kernel counts them.");
  for (const Owner& owner : owners) {
    if (owner.device != current) {
      current = owner.device;
      seen.clear();
    }
    for (const CounterSample& sample : owner.counters) {
      if (sample.spec != nullptr || !view.wants(source_of(sample.source))) continue;
      if (truncated.empty() || truncated.back().first != current)
        truncated.push_back({current, false});
      std::string labels(owner.labels);
      append_label(labels, "source", core::source_name(source_of(sample.source)));
      append_label(labels, "counter", sample.name());
      if (seen.size() >= view.options.uncatalogued_limit || !seen.insert(labels).second) {
        truncated.back().second = true;
      } else {
        out.sample(labels, sample.value);
      }
    }
  }
  out.family("rdma_uncatalogued_truncated", FamilyType::kGauge,
             "1 when the device has more unknown counters than are exported.");
  for (const auto& [device, was_cut] : truncated) {
    std::string labels;
    append_label(labels, "device", device->name);
    out.sample(labels, was_cut ? 1 : 0);
  }
}

void write_lifespan(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kSysfsHwCounters)) return;
  out.family("rdma_port_hw_counters_lifespan_seconds", FamilyType::kGauge,
             "How long the kernel caches one readout (ports/N/hw_counters/lifespan).");
  for (const PortView& port : view.ports) {
    if (!port.port->lifespan_milliseconds) continue;
    out.sample(port.labels, static_cast<double>(*port.port->lifespan_milliseconds) / 1000.0);
  }
}

}  // namespace

void write_counter_families(const HostView& view, Exposition& out) {
  const std::vector<Owner> owners = owners_of(view);
  write_catalogued(view, owners, out);
  write_saturated(view, out);
  write_lifespan(view, out);
  write_uncatalogued(view, owners, out);
}

}  // namespace rdmadiag::exporters
