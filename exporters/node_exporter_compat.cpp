#include "exporters/node_exporter_compat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rdmadiag::exporters {
namespace {

using core::CounterSource;

// Names and help texts are node_exporter's own; the counter is the file's name in ports/N/counters
// or ports/N/counters_ext.
struct CompatRow {
  std::string_view metric;
  std::string_view counter;
  std::string_view help;
};

constexpr auto kRows = std::to_array<CompatRow>({
    {"node_infiniband_excessive_buffer_overrun_errors_total", "excessive_buffer_overrun_errors",
     "Number of times that OverrunErrors consecutive flow control update periods "
     "occurred, each having at least one overrun error."},
    {"node_infiniband_legacy_data_received_bytes_total", "port_rcv_data_64",
     "Number of data octets received on all links"},
    {"node_infiniband_legacy_data_transmitted_bytes_total", "port_xmit_data_64",
     "Number of data octets transmitted on all links"},
    {"node_infiniband_legacy_multicast_packets_received_total", "port_multicast_rcv_packets",
     "Number of multicast packets received"},
    {"node_infiniband_legacy_multicast_packets_transmitted_total", "port_multicast_xmit_packets",
     "Number of multicast packets transmitted"},
    {"node_infiniband_legacy_packets_received_total", "port_rcv_packets_64",
     "Number of data packets received on all links"},
    {"node_infiniband_legacy_packets_transmitted_total", "port_xmit_packets_64",
     "Number of data packets received on all links"},
    {"node_infiniband_legacy_unicast_packets_received_total", "port_unicast_rcv_packets",
     "Number of unicast packets received"},
    {"node_infiniband_legacy_unicast_packets_transmitted_total", "port_unicast_xmit_packets",
     "Number of unicast packets transmitted"},
    {"node_infiniband_link_downed_total", "link_downed",
     "Number of times the link failed to recover from an error state and went down"},
    {"node_infiniband_link_error_recovery_total", "link_error_recovery",
     "Number of times the link successfully recovered from an error state"},
    {"node_infiniband_local_link_integrity_errors_total", "local_link_integrity_errors",
     "Number of times that the count of local physical errors exceeded the threshold specified by "
     "LocalPhyErrors."},
    {"node_infiniband_multicast_packets_received_total", "multicast_rcv_packets",
     "Number of multicast packets received (including errors)"},
    {"node_infiniband_multicast_packets_transmitted_total", "multicast_xmit_packets",
     "Number of multicast packets transmitted (including errors)"},
    {"node_infiniband_port_constraint_errors_received_total", "port_rcv_constraint_errors",
     "Number of packets received on the switch physical port that are discarded"},
    {"node_infiniband_port_constraint_errors_transmitted_total", "port_xmit_constraint_errors",
     "Number of packets not transmitted from the switch physical port"},
    {"node_infiniband_port_data_received_bytes_total", "port_rcv_data",
     "Number of data octets received on all links"},
    {"node_infiniband_port_data_transmitted_bytes_total", "port_xmit_data",
     "Number of data octets transmitted on all links"},
    {"node_infiniband_port_discards_received_total", "port_rcv_discards",
     "Number of inbound packets discarded by the port because the port is down or congested"},
    {"node_infiniband_port_discards_transmitted_total", "port_xmit_discards",
     "Number of outbound packets discarded by the port because the port is down or congested"},
    {"node_infiniband_port_errors_received_total", "port_rcv_errors",
     "Number of packets containing an error that were received on this port"},
    {"node_infiniband_port_packets_received_total", "port_rcv_packets",
     "Number of packets received on all VLs by this port (including errors)"},
    {"node_infiniband_port_packets_transmitted_total", "port_xmit_packets",
     "Number of packets transmitted on all VLs from this port (including errors)"},
    {"node_infiniband_port_receive_remote_physical_errors_total", "port_rcv_remote_physical_errors",
     "Number of packets marked with the EBP (End of Bad Packet) delimiter received on the port."},
    {"node_infiniband_port_receive_switch_relay_errors_total", "port_rcv_switch_relay_errors",
     "Number of packets that could not be forwarded by the switch."},
    {"node_infiniband_port_transmit_wait_total", "port_xmit_wait",
     "Number of ticks during which the port had data to transmit but no data was sent during the "
     "entire tick"},
    {"node_infiniband_symbol_error_total", "symbol_error",
     "Number of minor link errors detected on one or more physical lanes."},
    {"node_infiniband_unicast_packets_received_total", "unicast_rcv_packets",
     "Number of unicast packets received (including errors)"},
    {"node_infiniband_unicast_packets_transmitted_total", "unicast_xmit_packets",
     "Number of unicast packets transmitted (including errors)"},
    {"node_infiniband_vl15_dropped_total", "VL15_dropped",
     "Number of incoming VL15 packets dropped due to resource limitations."},
});

// One value a row; the counters that node_exporter multiplies by 4 already multiplied.
using PortValues = std::array<std::optional<std::uint64_t>, kRows.size()>;

bool counts_words(std::string_view counter) {
  return counter == "port_rcv_data" || counter == "port_xmit_data" ||
         counter == "port_rcv_data_64" || counter == "port_xmit_data_64";
}

PortValues values_of(const core::PortSnapshot& port) {
  PortValues values;
  for (const core::CounterSample& sample : port.counters) {
    if (sample.source != CounterSource::kPortCounters) continue;
    const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const CompatRow& candidate) {
      return candidate.counter == sample.name();
    });
    if (row == kRows.end()) continue;
    // node_exporter multiplies in 64 bits too, so it wraps where this wraps.
    values[static_cast<std::size_t>(row - kRows.begin())] =
        counts_words(row->counter) ? sample.value * 4 : sample.value;
  }
  return values;
}

void write_counters(const HostView& view, Exposition& out) {
  std::vector<PortValues> values;
  values.reserve(view.ports.size());
  for (const PortView& port : view.ports) values.push_back(values_of(*port.port));
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    out.family(kRows[row].metric, FamilyType::kCounter, kRows[row].help);
    for (std::size_t i = 0; i < view.ports.size(); ++i) {
      if (values[i][row]) out.sample(view.ports[i].labels, *values[i][row]);
    }
  }
}

// It parses the number as a 32-bit float and cuts the product to an integer; a port that is down
// shows its made-up rate too.
double rate_bytes_per_second(const core::PortRate& rate) {
  const auto gigabits = static_cast<float>(rate.bits_per_second / 1e9);
  return std::trunc(static_cast<double>(gigabits) * 125e6);
}

void write_states(const HostView& view, Exposition& out) {
  out.family("node_infiniband_info", FamilyType::kGauge,
             "Non-numeric data from /sys/class/infiniband/<device>, value is always 1.");
  for (const DeviceView& device : view.devices) {
    if (device.device == nullptr) continue;
    std::string labels;
    append_label(labels, "board_id", device.device->board_id);
    append_label(labels, "device", device.entry->name);
    append_label(labels, "firmware_version", device.device->firmware);
    append_label(labels, "hca_type", device.device->hca_type);
    out.sample(labels, 1);
  }
  out.family("node_infiniband_physical_state_id", FamilyType::kGauge,
             "Physical state of the InfiniBand port (0: no change, 1: sleep, 2: polling, 3: "
             "disable, 4: shift, 5: link up, 6: link error recover, 7: phytest)");
  for (const PortView& port : view.ports) {
    if (port.port->physical_state) out.sample(port.labels, *port.port->physical_state);
  }
  out.family("node_infiniband_rate_bytes_per_second", FamilyType::kGauge,
             "Maximum signal transfer rate");
  for (const PortView& port : view.ports) {
    if (port.port->rate) out.sample(port.labels, rate_bytes_per_second(*port.port->rate));
  }
  out.family("node_infiniband_state_id", FamilyType::kGauge,
             "State of the InfiniBand port (0: no change, 1: down, 2: init, 3: armed, 4: active, "
             "5: act defer)");
  for (const PortView& port : view.ports) {
    if (port.port->state) out.sample(port.labels, *port.port->state);
  }
}

}  // namespace

void write_node_exporter_families(const HostView& view, Exposition& out) {
  if (view.wants(core::Source::kSysfsPort)) write_states(view, out);
  if (view.wants(core::Source::kSysfsCounters)) write_counters(view, out);
}

}  // namespace rdmadiag::exporters
