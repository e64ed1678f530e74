// One device as a whole: identity, presence, resources, PCIe, temperatures.
#include <algorithm>
#include <map>
#include <utility>

#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

using core::DeviceSnapshot;
using core::PcieSnapshot;

// False when none of those that were asked could tell which devices there are.
bool are_listed(const core::HostSnapshot& host) {
  return host.sources.empty() || std::ranges::any_of(host.sources, &core::SourceStatus::success);
}

void write_presence(const HostView& view, Exposition& out) {
  std::size_t present = 0;
  for (const DeviceView& device : view.devices) present += device.entry->present ? 1 : 0;
  out.family("rdma_devices", FamilyType::kGauge,
             "RDMA devices of the host (/sys/class/infiniband, RDMA netlink); 0 is a normal state, "
             "absent when they could not be listed.");
  if (are_listed(view.host)) out.sample("", present);
  out.family("rdma_device_present", FamilyType::kGauge,
             "1 while the device exists, 0 for some time after it vanished.");
  for (const DeviceView& device : view.devices) {
    out.sample(device.labels, device.entry->present ? 1 : 0);
  }
}

std::string info_labels(const DeviceView& view) {
  const DeviceSnapshot& device = *view.device;
  constexpr std::size_t kUsualSize = 320;
  std::string labels;
  labels.reserve(kUsualSize);
  labels = view.labels;
  append_label(labels, "driver", device.driver);
  append_label(labels, "firmware", device.firmware);
  append_label(labels, "board_id", device.board_id);
  append_label(labels, "hca_type", device.hca_type);
  append_label(labels, "node_type",
               device.node_type ? core::node_type_name(*device.node_type) : std::string());
  append_label(labels, "node_guid", device.node_guid);
  append_label(labels, "protocol", core::protocol_name(device.protocol));
  append_label(labels, "pci_address", device.pcie.address);
  append_label(labels, "numa_node",
               device.pcie.numa_node ? std::to_string(*device.pcie.numa_node) : std::string());
  return labels;
}

void write_info(const HostView& view, Exposition& out) {
  out.family("rdma_device_info", FamilyType::kGauge,
             "What the device is (/sys/class/infiniband/DEV, RDMA netlink); the value is 1.");
  for (const DeviceView& device : view.devices) {
    if (device.device != nullptr) out.sample(info_labels(device), 1);
  }
}

void write_resources(const HostView& view, Exposition& out) {
  out.family("rdma_device_resources", FamilyType::kGauge,
             "RDMA objects in use on the device (RDMA netlink RES_GET).");
  for (const DeviceView& device : view.devices) {
    if (device.device == nullptr) continue;
    for (const core::ResourceCount& count : device.device->resources) {
      out.sample(with_label(device.labels, "object", count.object), count.current);
    }
  }
  out.family("rdma_device_resources_limit", FamilyType::kGauge,
             "RDMA objects the device can hold (RDMA netlink RES_GET, newer kernels).");
  for (const DeviceView& device : view.devices) {
    if (device.device == nullptr) continue;
    for (const core::ResourceCount& count : device.device->resources) {
      if (count.max) out.sample(with_label(device.labels, "object", count.object), *count.max);
    }
  }
  out.family("rdma_device_qps", FamilyType::kGauge,
             "Queue pairs by type and state (RDMA netlink RES_QP_GET).");
  for (const DeviceView& device : view.devices) {
    if (device.device == nullptr || !device.device->queue_pairs) continue;
    std::map<std::pair<int, int>, std::size_t> counts;
    for (const core::QueuePair& qp : *device.device->queue_pairs) ++counts[{qp.type, qp.state}];
    for (const auto& [kind, count] : counts) {
      std::string labels = with_label(device.labels, "type", core::qp_type_name(kind.first));
      append_label(labels, "state", core::qp_state_name(kind.second));
      out.sample(labels, count);
    }
  }
}

template <class Value>
void write_pcie_values(
    const HostView& view, Exposition& out, std::string_view label,
    std::initializer_list<std::pair<const char*, Value PcieSnapshot::*>> fields) {
  std::string labels;
  for (const DeviceView& device : view.devices) {
    if (device.device == nullptr) continue;
    for (const auto& [word, member] : fields) {
      const Value& value = device.device->pcie.*member;
      if (!value) continue;
      labels = device.labels;
      append_label(labels, label, word);
      out.sample(labels, *value);
    }
  }
}

void write_pcie(const HostView& view, Exposition& out) {
  out.family("rdma_device_pcie_width_lanes", FamilyType::kGauge,
             "PCIe lanes of the device (PCI device's current_link_width, max_link_width).");
  write_pcie_values<std::optional<int>>(
      view, out, "kind",
      {{"current", &PcieSnapshot::current_width_lanes}, {"max", &PcieSnapshot::max_width_lanes}});
  out.family("rdma_device_pcie_speed_transfers_per_second", FamilyType::kGauge,
             "PCIe transfers per second and lane (current_link_speed, max_link_speed).");
  write_pcie_values<std::optional<double>>(
      view, out, "kind",
      {{"current", &PcieSnapshot::current_speed_transfers_per_second},
       {"max", &PcieSnapshot::max_speed_transfers_per_second}});
  out.family("rdma_device_pcie_errors_total", FamilyType::kCounter,
             "PCIe errors reported by AER (aer_dev_correctable, aer_dev_nonfatal, aer_dev_fatal).");
  write_pcie_values<std::optional<std::uint64_t>>(view, out, "severity",
                                                  {{"correctable", &PcieSnapshot::aer_correctable},
                                                   {"nonfatal", &PcieSnapshot::aer_nonfatal},
                                                   {"fatal", &PcieSnapshot::aer_fatal}});
}

void write_temperatures(const HostView& view, Exposition& out) {
  // Two hwmon chips of one device may use one sensor name; a series must not appear twice.
  const auto each = [&](const auto& value_of) {
    std::string labels;
    for (const DeviceView& device : view.devices) {
      if (device.device == nullptr) continue;
      const std::vector<core::TemperatureSample>& samples = device.device->temperatures;
      for (auto sample = samples.begin(); sample != samples.end(); ++sample) {
        const std::optional<double> value = value_of(*sample);
        if (!value) continue;
        const auto namesakes = std::count_if(samples.begin(), sample, [&](const auto& other) {
          return other.sensor == sample->sensor;
        });
        const std::string sensor =
            namesakes == 0 ? sample->sensor : sample->sensor + "#" + std::to_string(namesakes + 1);
        labels = device.labels;
        append_label(labels, "sensor", sensor);
        out.sample(labels, *value);
      }
    }
  };
  out.family("rdma_device_temperature_celsius", FamilyType::kGauge,
             "Temperature of the device's sensors (hwmon temp*_input).");
  each([](const core::TemperatureSample& s) { return std::optional(s.celsius); });
  out.family("rdma_device_temperature_critical_celsius", FamilyType::kGauge,
             "Temperature at which the sensor calls the device too hot (hwmon temp*_crit).");
  each([](const core::TemperatureSample& s) { return s.critical_celsius; });
}

// Reporters of one name, such as one for each port: the worst state, and all errors.
void write_health(const HostView& view, Exposition& out) {
  const auto each = [&](const auto& value_of, const auto& combine) {
    for (const DeviceView& device : view.devices) {
      if (device.device == nullptr) continue;
      std::map<std::string_view, std::uint64_t> values;
      for (const core::HealthReporter& reporter : device.device->health) {
        const auto value = value_of(reporter);
        if (!value) continue;
        const auto [slot, is_new] = values.try_emplace(reporter.name, *value);
        if (!is_new) slot->second = combine(slot->second, *value);
      }
      for (const auto& [name, value] : values) {
        out.sample(with_label(device.labels, "reporter", name), value);
      }
    }
  };
  out.family("rdma_device_health_state", FamilyType::kGauge,
             "0 healthy, 1 in error, by devlink health reporter.");
  each(
      [](const core::HealthReporter& r) -> std::optional<std::uint64_t> {
        if (!r.state || *r.state < 0) return std::nullopt;
        return static_cast<std::uint64_t>(*r.state);
      },
      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  out.family("rdma_device_health_errors_total", FamilyType::kCounter,
             "Errors a devlink health reporter has seen.");
  const auto sum = [](std::uint64_t a, std::uint64_t b) { return a + b; };
  each([](const core::HealthReporter& r) { return r.errors; }, sum);
  out.family("rdma_device_health_recoveries_total", FamilyType::kCounter,
             "Errors a devlink health reporter has recovered from.");
  each([](const core::HealthReporter& r) { return r.recoveries; }, sum);
}

}  // namespace

void write_device_families(const HostView& view, Exposition& out) {
  if (view.wants(core::Source::kSysfsPort)) {
    write_presence(view, out);
    write_info(view, out);
  }
  if (view.wants(core::Source::kRdmaNetlink)) write_resources(view, out);
  if (view.wants(core::Source::kPcie)) {
    write_pcie(view, out);
    write_temperatures(view, out);
  }
  if (view.wants(core::Source::kDevlink)) write_health(view, out);
}

}  // namespace rdmadiag::exporters
