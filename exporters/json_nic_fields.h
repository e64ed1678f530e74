// The Ethernet side's part of json_fields.h. Internal to the JSON exporter.
#pragma once

#include "agent/core/nic.h"
#include "exporters/json_words.h"

namespace rdmadiag::exporters {

template <class Archive, Either<core::LinkDetail> Link>
void fields(Archive& archive, Link& link) {
  archive.field("up", link.up);
  archive.field("extended_state", link.extended_state);
  archive.derived("extended_state_name", [&] {
    return link.extended_state ? std::optional(core::extended_state_name(*link.extended_state))
                               : std::nullopt;
  });
  archive.field("extended_substate", link.extended_substate);
  archive.field("autonegotiation", link.autonegotiation);
  archive.field("full_duplex", link.full_duplex);
  archive.field("speed_bits_per_second", link.speed_bits_per_second);
  archive.field("lanes", link.lanes);
}

template <class Archive, Either<core::PauseSettings> Pause>
void fields(Archive& archive, Pause& pause) {
  archive.field("autonegotiation", pause.autonegotiation);
  archive.field("receive", pause.receive);
  archive.field("transmit", pause.transmit);
}

template <class Archive, Either<core::FecLaneCounts> Counts>
void fields(Archive& archive, Counts& counts) {
  archive.field("corrected_blocks", counts.corrected_blocks);
  archive.field("uncorrectable_blocks", counts.uncorrectable_blocks);
  archive.field("corrected_bits", counts.corrected_bits);
}

template <class Archive, Either<core::FecSettings> Fec>
void fields(Archive& archive, Fec& fec) {
  archive.field("automatic", fec.automatic);
  archive.field("configured", fec.configured);
  archive.field("active", fec.active);
  archive.field("lanes", fec.lanes);
}

template <class Archive, Either<core::EthtoolSnapshot> Ethtool>
void fields(Archive& archive, Ethtool& ethtool) {
  archive.field("driver", ethtool.driver);
  archive.field("driver_version", ethtool.driver_version);
  archive.field("firmware", ethtool.firmware);
  archive.field("link", ethtool.link);
  archive.field("pause", ethtool.pause);
  archive.field("fec", ethtool.fec);
}

template <class Archive, Either<core::ModuleLane> Lane>
void fields(Archive& archive, Lane& lane) {
  archive.field("bias_amperes", lane.bias_amperes);
  archive.field("transmit_watts", lane.transmit_watts);
  archive.field("receive_watts", lane.receive_watts);
}

template <class Archive, Either<core::ModuleLimits> Limits>
void fields(Archive& archive, Limits& limits) {
  archive.field("low_alarm", limits.low_alarm);
  archive.field("low_warning", limits.low_warning);
  archive.field("high_warning", limits.high_warning);
  archive.field("high_alarm", limits.high_alarm);
}

template <class Archive, Either<core::ModuleSnapshot> Module>
void fields(Archive& archive, Module& module) {
  archive.field("identifier", module.identifier);
  archive.field("type", module.type);
  archive.field("vendor", module.vendor);
  archive.field("part_number", module.part_number);
  archive.field("serial_number", module.serial_number);
  archive.field("revision", module.revision);
  archive.field("optical", module.optical);
  archive.field("temperature_celsius", module.temperature_celsius);
  archive.field("voltage", module.voltage);
  archive.field("lanes", module.lanes);
  archive.field("temperature_limits", module.temperature_limits);
  archive.field("voltage_limits", module.voltage_limits);
  archive.field("bias_limits", module.bias_limits);
  archive.field("transmit_limits", module.transmit_limits);
  archive.field("receive_limits", module.receive_limits);
  archive.field("read_at", module.read_at);
}

template <class Archive, Either<core::EtsSettings> Ets>
void fields(Archive& archive, Ets& ets) {
  archive.field("willing", ets.willing);
  archive.field("capable_classes", ets.capable_classes);
  archive.field("bandwidth_percent", ets.bandwidth_percent);
  archive.field("algorithm", ets.algorithm);
  archive.field("traffic_class", ets.traffic_class);
}

template <class Archive, Either<core::BufferSettings> Buffer>
void fields(Archive& archive, Buffer& buffer) {
  archive.field("buffer_of_priority", buffer.buffer_of_priority);
  archive.field("size_bytes", buffer.size_bytes);
  archive.field("total_bytes", buffer.total_bytes);
}

template <class Archive, Either<core::DcbApplication> Application>
void fields(Archive& archive, Application& application) {
  archive.field("selector", application.selector);
  archive.field("protocol", application.protocol);
  archive.field("priority", application.priority);
}

template <class Archive, Either<core::DcbSnapshot> Dcb>
void fields(Archive& archive, Dcb& dcb) {
  archive.field("mode", dcb.mode);
  archive.field("pfc_capable_classes", dcb.pfc_capable_classes);
  archive.field("pfc_enabled", dcb.pfc_enabled);
  archive.field("pfc_delay", dcb.pfc_delay);
  archive.field("ets", dcb.ets);
  archive.field("buffer", dcb.buffer);
  archive.field("applications", dcb.applications);
  archive.optional_word("trust", dcb.trust, trust_name, trust_of);
  archive.field("trust_learnt_from", dcb.trust_learnt_from);
}

template <class Archive, Either<core::RoceSettings> Roce>
void fields(Archive& archive, Roce& roce) {
  archive.field("ecn_notification_point", roce.ecn_notification_point);
  archive.field("ecn_reaction_point", roce.ecn_reaction_point);
  archive.field("cnp_dscp", roce.cnp_dscp);
  archive.field("cnp_priority", roce.cnp_priority);
  archive.field("default_tos", roce.default_tos);
  archive.field("default_mode", roce.default_mode);
  archive.field("traffic_class", roce.traffic_class);
}

template <class Archive, Either<core::HealthReporter> Reporter>
void fields(Archive& archive, Reporter& reporter) {
  archive.field("name", reporter.name);
  archive.field("handle", reporter.handle);
  archive.field("port_index", reporter.port_index);
  archive.field("state", reporter.state);
  archive.field("errors", reporter.errors);
  archive.field("recoveries", reporter.recoveries);
  archive.field("automatic_recovery", reporter.automatic_recovery);
}

template <class Archive, Either<core::FirmwareVersion> Version>
void fields(Archive& archive, Version& version) {
  archive.field("name", version.name);
  archive.field("fixed", version.fixed);
  archive.field("running", version.running);
  archive.field("stored", version.stored);
}

}  // namespace rdmadiag::exporters
