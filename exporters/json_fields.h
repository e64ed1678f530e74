// The fields of each part of the snapshot under their JSON names, once for both directions: an
// archive is a writer or a reader. Internal to the JSON exporter.
//
// field(name, value)             a value of the struct, both ways
// word(name, enum, print, parse) an enumeration by its word
// seconds(name, duration)        a duration as a number of seconds
// derived(name, make)            what a reader of the text would have to work out; written only
#pragma once

#include <string>
#include <string_view>

#include "agent/core/agent_status.h"
#include "agent/core/snapshot.h"
#include "exporters/json_nic_fields.h"
#include "exporters/json_words.h"

namespace rdmadiag::exporters {

template <class Archive, Either<core::ReadIssue> Issue>
void fields(Archive& archive, Issue& issue) {
  archive.word("source", issue.source, core::source_name, source_of);
  archive.field("path", issue.path);
  archive.word("reason", issue.reason, core::reason_name, reason_of);
  archive.field("errno", issue.error_number);
  archive.field("detail", issue.detail);
  archive.field("backing_off", issue.backing_off);
}

template <class Archive, Either<core::SourceStatus> Status>
void fields(Archive& archive, Status& status) {
  archive.word("source", status.source, core::source_name, source_of);
  archive.field("success", status.success);
  archive.seconds("duration_seconds", status.duration);
  archive.field("last_success", status.last_success);
  archive.errors("errors", status.errors);
}

template <class Archive, Either<core::CounterSample> Sample>
void fields(Archive& archive, Sample& sample) {
  const auto of_row = [&](auto member) {
    return sample.spec ? std::optional(sample.spec->*member) : std::nullopt;
  };
  archive.word("source", sample.source, counter_source_name, counter_source_of);
  archive.counter_name("name", "driver", sample);
  archive.field("value", sample.value);
  archive.derived("metric", [&] {
    return sample.spec ? std::optional(sample.spec->metric->name) : std::nullopt;
  });
  archive.derived("index", [&] { return of_row(&core::CounterSpec::index); });
  archive.derived("unit", [&] { return of_row(&core::CounterSpec::unit); });
  archive.derived("scale", [&] { return of_row(&core::CounterSpec::scale); });
  archive.derived("class", [&] { return of_row(&core::CounterSpec::counter_class); });
  archive.derived("saturated",
                  [&] { return sample.saturated() ? std::optional(true) : std::nullopt; });
}

template <class Archive, Either<core::GidEntry> Entry>
void fields(Archive& archive, Entry& entry) {
  archive.field("index", entry.index);
  archive.gid("gid", entry.gid);
  archive.word("type", entry.type, core::gid_type_name, gid_type_of);
  archive.field("netdev", entry.netdev);
}

template <class Archive, Either<core::PortRate> Rate>
void fields(Archive& archive, Rate& rate) {
  archive.field("bits_per_second", rate.bits_per_second);
  archive.field("width_lanes", rate.width_lanes);
  archive.field("speed_name", rate.speed_name);
}

template <class Archive, Either<core::PortSnapshot> Port>
void fields(Archive& archive, Port& port) {
  archive.field("number", port.number);
  archive.word("link_layer", port.link_layer, core::link_layer_name, core::parse_link_layer);
  archive.field("state", port.state);
  archive.derived("state_name", [&] {
    return port.state ? std::optional(core::port_state_name(*port.state)) : std::nullopt;
  });
  archive.field("physical_state", port.physical_state);
  archive.derived("physical_state_name", [&] {
    return port.physical_state ? std::optional(core::physical_state_name(*port.physical_state))
                               : std::nullopt;
  });
  archive.derived("up", [&] { return std::optional(port.is_up()); });
  archive.field("rate", port.rate);
  archive.field("lid", port.lid);
  archive.field("sm_lid", port.sm_lid);
  archive.field("sm_sl", port.sm_sl);
  archive.field("lid_mask_count", port.lid_mask_count);
  archive.field("cap_mask", port.cap_mask);
  archive.field("subnet_prefix", port.subnet_prefix);
  archive.field("active_mtu_bytes", port.active_mtu_bytes);
  archive.field("max_mtu_bytes", port.max_mtu_bytes);
  archive.field("gids", port.gids);
  archive.field("pkeys", port.pkeys);
  archive.field("netdev", port.netdev);
  archive.field("lifespan_milliseconds", port.lifespan_milliseconds);
  archive.field("roce", port.roce);
  archive.field("counters", port.counters);
}

template <class Archive, Either<core::Ipv4Settings> Settings>
void fields(Archive& archive, Settings& settings) {
  archive.field("arp_ignore", settings.arp_ignore);
  archive.field("arp_announce", settings.arp_announce);
  archive.field("rp_filter", settings.rp_filter);
}

template <class Archive, Either<core::NetdevSnapshot> Netdev>
void fields(Archive& archive, Netdev& netdev) {
  archive.field("name", netdev.name);
  archive.field("master", netdev.master);
  archive.field("is_bond", netdev.is_bond);
  archive.field("is_bond_member", netdev.is_bond_member);
  archive.field("is_vf", netdev.is_vf);
  archive.field("mtu_bytes", netdev.mtu_bytes);
  archive.field("carrier", netdev.carrier);
  archive.field("operstate", netdev.operstate);
  archive.field("speed_bits_per_second", netdev.speed_bits_per_second);
  archive.field("carrier_changes", netdev.carrier_changes);
  archive.field("carrier_down_count", netdev.carrier_down_count);
  archive.field("addresses", netdev.addresses);
  archive.field("ipv4", netdev.ipv4);
  archive.field("bond_members", netdev.bond_members);
  archive.field("statistics", netdev.statistics);
  archive.field("ethtool", netdev.ethtool);
  archive.field("dcb", netdev.dcb);
  archive.field("module", netdev.module);
  archive.field("counters", netdev.counters);
}

template <class Archive, Either<core::PcieSnapshot> Pcie>
void fields(Archive& archive, Pcie& pcie) {
  archive.field("address", pcie.address);
  archive.field("current_width_lanes", pcie.current_width_lanes);
  archive.field("max_width_lanes", pcie.max_width_lanes);
  archive.field("current_speed_transfers_per_second", pcie.current_speed_transfers_per_second);
  archive.field("max_speed_transfers_per_second", pcie.max_speed_transfers_per_second);
  archive.field("numa_node", pcie.numa_node);
  archive.field("local_cpus", pcie.local_cpus);
  archive.field("iommu_domain", pcie.iommu_domain);
  archive.field("acs_redirects", pcie.acs_redirects);
  archive.field("is_vf", pcie.is_vf);
  archive.field("aer_correctable", pcie.aer_correctable);
  archive.field("aer_nonfatal", pcie.aer_nonfatal);
  archive.field("aer_fatal", pcie.aer_fatal);
}

template <class Archive, Either<core::DeviceNode> Node>
void fields(Archive& archive, Node& node) {
  archive.field("path", node.path);
  archive.field("open_error", node.open_error);
}

template <class Archive, Either<core::Interrupts> Interrupts>
void fields(Archive& archive, Interrupts& interrupts) {
  archive.field("total", interrupts.total);
  archive.field("remote", interrupts.remote);
}

template <class Archive, Either<core::TemperatureSample> Temperature>
void fields(Archive& archive, Temperature& temperature) {
  archive.field("sensor", temperature.sensor);
  archive.field("celsius", temperature.celsius);
  archive.field("critical_celsius", temperature.critical_celsius);
}

template <class Archive, Either<core::ResourceCount> Count>
void fields(Archive& archive, Count& count) {
  archive.field("object", count.object);
  archive.field("current", count.current);
  archive.field("max", count.max);
}

template <class Archive, Either<core::QueuePair> Pair>
void fields(Archive& archive, Pair& pair) {
  archive.field("local_qpn", pair.local_qpn);
  archive.field("remote_qpn", pair.remote_qpn);
  archive.field("port", pair.port);
  archive.field("type", pair.type);
  archive.derived("type_name", [&] { return std::optional(core::qp_type_name(pair.type)); });
  archive.field("state", pair.state);
  archive.derived("state_name", [&] { return std::optional(core::qp_state_name(pair.state)); });
  archive.field("rq_psn", pair.rq_psn);
  archive.field("sq_psn", pair.sq_psn);
  archive.field("pid", pair.pid);
  archive.field("owner", pair.owner);
}

template <class Archive, Either<core::DeviceSnapshot> Device>
void fields(Archive& archive, Device& device) {
  archive.field("driver", device.driver);
  archive.field("firmware", device.firmware);
  archive.field("board_id", device.board_id);
  archive.field("hca_type", device.hca_type);
  archive.field("node_description", device.node_description);
  archive.field("node_type", device.node_type);
  archive.derived("node_type_name", [&] {
    return device.node_type ? std::optional(core::node_type_name(*device.node_type)) : std::nullopt;
  });
  archive.field("node_guid", device.node_guid);
  archive.field("sys_image_guid", device.sys_image_guid);
  archive.word("protocol", device.protocol, core::protocol_name, protocol_of);
  archive.field("netlink_index", device.netlink_index);
  archive.field("read_at", device.read_at);
  archive.field("pcie", device.pcie);
  archive.field("node", device.node);
  archive.field("interrupts", device.interrupts);
  archive.field("temperatures", device.temperatures);
  archive.field("resources", device.resources);
  archive.field("queue_pairs", device.queue_pairs);
  archive.field("health", device.health);
  archive.field("firmware_versions", device.firmware_versions);
  archive.field("netdevs", device.netdevs);
  archive.field("ports", device.ports);
  archive.field("counters", device.counters);
  archive.field("issues", device.issues);
}

template <class Archive, Either<core::DeviceEntry> Entry>
void fields(Archive& archive, Entry& entry) {
  archive.field("name", entry.name);
  archive.field("present", entry.present);
  archive.field("stuck", entry.stuck);
  archive.seconds("age_seconds", entry.age);
  archive.field("sources", entry.sources);
  archive.snapshot(entry.snapshot);  // its fields beside these, or none of them
}

template <class Archive, Either<core::GpuSupport> Gpu>
void fields(Archive& archive, Gpu& gpu) {
  archive.field("driver", gpu.driver);
  archive.field("peer_memory", gpu.peer_memory);
}

template <class Archive, Either<core::HostSnapshot> Host>
void fields(Archive& archive, Host& host) {
  archive.field("hostname", host.hostname);
  archive.field("kernel_release", host.kernel_release);
  archive.field("taken_at", host.taken_at);
  archive.field("netns_shared", host.netns_shared);
  archive.field("gpu", host.gpu);
  archive.field("has_rdma_class", host.has_rdma_class);
  archive.field("sources", host.sources);
  archive.field("issues", host.issues);
  archive.field("devices", host.devices);
}

template <class Archive, Either<core::Subject> Subject>
void fields(Archive& archive, Subject& subject) {
  archive.field("device", subject.device);
  archive.field("port", subject.port);
  archive.field("netdev", subject.netdev);
  archive.derived("text", [&] { return std::optional(subject.text()); });
}

template <class Archive, Either<core::Finding> Finding>
void fields(Archive& archive, Finding& finding) {
  archive.field("rule", finding.rule);
  archive.word("severity", finding.severity, core::severity_name, severity_of);
  archive.field("subject", finding.subject);
  archive.field("found", finding.found);
  archive.field("expected", finding.expected);
  archive.field("meaning", finding.meaning);
  archive.field("next_step", finding.next_step);
}

template <class Archive, Either<core::Unknown> Unknown>
void fields(Archive& archive, Unknown& unknown) {
  archive.field("rule", unknown.rule);
  archive.field("subject", unknown.subject);
  archive.field("reason", unknown.reason);
}

template <class Archive, Either<core::Diagnosis> Diagnosis>
void fields(Archive& archive, Diagnosis& diagnosis) {
  archive.field("findings", diagnosis.findings);
  archive.field("unknown", diagnosis.unknown);
  archive.field("any_device", diagnosis.any_device);
  archive.field("unreadable", diagnosis.unreadable);
}

template <class Archive, Either<core::PortStatus> Status>
void fields(Archive& archive, Status& status) {
  archive.field("device", status.device);
  archive.field("port", status.port);
  archive.field("expected_bits_per_second", status.expected_bits_per_second);
  archive.field("state_changes", status.state_changes);
  archive.field("last_state_change", status.last_state_change);
}

template <class Archive, Either<core::BurstStatus> Status>
void fields(Archive& archive, Status& status) {
  using core::BurstCounter;
  const auto of = [](auto& values, BurstCounter counter) -> auto& {
    return values[static_cast<std::size_t>(counter)];
  };
  archive.field("port", status.port);
  archive.field("peak_rx_bytes_per_second", of(status.peak_per_second, BurstCounter::kRxBytes));
  archive.field("peak_tx_bytes_per_second", of(status.peak_per_second, BurstCounter::kTxBytes));
  archive.field("peak_rx_pauses_per_second", of(status.peak_per_second, BurstCounter::kRxPause));
  archive.field("peak_tx_pauses_per_second", of(status.peak_per_second, BurstCounter::kTxPause));
  archive.field("peak_discards_per_second", of(status.peak_per_second, BurstCounter::kDiscards));
  archive.field("peak_ecn_marks_per_second", of(status.peak_per_second, BurstCounter::kEcnMarks));
  archive.field("rx_near_line_rate_seconds", of(status.near_line_seconds, BurstCounter::kRxBytes));
  archive.field("tx_near_line_rate_seconds", of(status.near_line_seconds, BurstCounter::kTxBytes));
  archive.field("rx_paused_seconds", of(status.paused_seconds, BurstCounter::kRxPause));
  archive.field("tx_paused_seconds", of(status.paused_seconds, BurstCounter::kTxPause));
  archive.field("longest_rx_pause_seconds",
                of(status.longest_pause_seconds, BurstCounter::kRxPause));
  archive.field("longest_tx_pause_seconds",
                of(status.longest_pause_seconds, BurstCounter::kTxPause));
}

template <class Archive, Either<core::BurstDevice> Device>
void fields(Archive& archive, Device& device) {
  archive.field("device", device.device);
  archive.field("window_seconds", device.window_seconds);
  archive.field("samples", device.samples);
  archive.field("dropped", device.dropped);
  archive.field("cpu_seconds", device.cpu_seconds);
  archive.field("ports", device.ports);
}

template <class Archive, Either<core::ProcessStats> Process>
void fields(Archive& archive, Process& process) {
  archive.field("cpu_seconds", process.cpu_seconds);
  archive.field("start_time_seconds", process.start_time_seconds);
  archive.field("open_fds", process.open_fds);
  archive.field("max_fds", process.max_fds);
  archive.field("virtual_memory_bytes", process.virtual_memory_bytes);
  archive.field("resident_memory_bytes", process.resident_memory_bytes);
  archive.field("threads", process.threads);
}

template <class Archive, Either<core::AgentStatus> Agent>
void fields(Archive& archive, Agent& agent) {
  archive.field("version", agent.version);
  archive.field("revision", agent.revision);
  archive.field("config_reload_successful", agent.config_reload_successful);
  archive.field("config_reloaded_at", agent.config_reloaded_at);
  archive.field("web_config_reload_successful", agent.web_config_reload_successful);
  archive.field("process", agent.process);
  archive.field("ports", agent.ports);
  archive.field("bursts", agent.bursts);
  archive.field("diagnosis", agent.diagnosis);
}

}  // namespace rdmadiag::exporters
