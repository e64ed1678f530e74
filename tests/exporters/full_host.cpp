#include "tests/exporters/full_host.h"

#include <chrono>

#include "tests/exporters/host_builder.h"

namespace rdmadiag::test {
namespace {

using namespace std::chrono_literals;
using core::CounterSource;

constexpr core::SystemTime kTime{std::chrono::milliseconds(1'767'225'600'250)};

core::ModuleSnapshot module() {
  core::ModuleSnapshot module;
  module.identifier = 0x18;
  module.type = "QSFP-DD";
  module.vendor = "ACME \"Optics\"";
  module.part_number = "P-1";
  module.serial_number = "S<1>";
  module.revision = "A";
  module.optical = true;
  module.temperature_celsius = 47.5;
  module.voltage = 3.3;
  module.lanes = {{.bias_amperes = 0.007, .transmit_watts = 0.001, .receive_watts = 0.0009},
                  {.bias_amperes = 0.0071, .transmit_watts = 0.0011, .receive_watts = {}}};
  module.temperature_limits = {
      .low_alarm = -5, .low_warning = 0, .high_warning = 70, .high_alarm = 75};
  module.voltage_limits = {
      .low_alarm = 2.9, .low_warning = 3, .high_warning = 3.6, .high_alarm = 3.7};
  module.bias_limits = {
      .low_alarm = 0.001, .low_warning = 0.002, .high_warning = 0.01, .high_alarm = 0.012};
  module.transmit_limits = {
      .low_alarm = 1e-4, .low_warning = 2e-4, .high_warning = 4e-3, .high_alarm = 5e-3};
  module.receive_limits = {
      .low_alarm = 1e-5, .low_warning = 2e-5, .high_warning = 4e-3, .high_alarm = 5e-3};
  module.read_at = kTime;
  return module;
}

core::DcbSnapshot dcb() {
  core::DcbSnapshot dcb;
  dcb.mode = 0x9;
  dcb.pfc_capable_classes = 8;
  dcb.pfc_enabled = {false, false, false, true, false, false, false, false};
  dcb.pfc_delay = 7;
  dcb.ets.emplace();
  dcb.ets->capable_classes = 8;
  dcb.ets->bandwidth_percent = {50, 0, 0, 50, 0, 0, 0, 0};
  dcb.ets->algorithm = {2, 0, 0, 2, 0, 0, 0, 0};
  dcb.ets->traffic_class = {0, 1, 2, 3, 4, 5, 6, 7};
  dcb.buffer.emplace();
  dcb.buffer->buffer_of_priority = {0, 0, 0, 1, 0, 0, 0, 0};
  dcb.buffer->size_bytes = {1000, 2000, 0, 0, 0, 0, 0, 0};
  dcb.buffer->total_bytes = 3000;
  dcb.applications = {{.selector = 5, .protocol = 26, .priority = 3}};
  dcb.trust = core::Trust::kDscp;
  dcb.trust_learnt_from = "dcb trust table";
  return dcb;
}

core::NetdevSnapshot netdev() {
  core::NetdevSnapshot netdev;
  netdev.name = "ens5f0np0";
  netdev.master = "bond0";
  netdev.is_bond_member = true;
  netdev.is_vf = true;
  netdev.mtu_bytes = 9000;
  netdev.carrier = true;
  netdev.operstate = "up";
  netdev.speed_bits_per_second = 200'000'000'000;
  netdev.carrier_changes = 3;
  netdev.carrier_down_count = 1;
  netdev.addresses = {"10.0.0.1/24"};
  netdev.ipv4 = core::Ipv4Settings{.arp_ignore = 1, .arp_announce = 2, .rp_filter = 0};
  netdev.statistics = {{"rx_bytes", 5}, {"tx_bytes", 6}};
  netdev.counters = {sample(CounterSource::kEthtool, "mlx5_core", "rx_prio3_pause", 11)};
  netdev.ethtool.emplace();
  netdev.ethtool->driver = "mlx5_core";
  netdev.ethtool->driver_version = "6.1.0";
  netdev.ethtool->firmware = "28.39.1002";
  netdev.ethtool->link = {.up = false,
                          .extended_state = 4,
                          .extended_substate = 1,
                          .autonegotiation = true,
                          .full_duplex = true,
                          .speed_bits_per_second = 200'000'000'000,
                          .lanes = 4};
  netdev.ethtool->pause = {.autonegotiation = false, .receive = true, .transmit = false};
  netdev.ethtool->fec.emplace();
  netdev.ethtool->fec->automatic = true;
  netdev.ethtool->fec->configured = {"RS"};
  netdev.ethtool->fec->active = "RS";
  netdev.ethtool->fec->lanes = {
      .corrected_blocks = {1, 2}, .uncorrectable_blocks = {0, 0}, .corrected_bits = {9, 8}};
  netdev.dcb = dcb();
  netdev.module = module();
  return netdev;
}

core::PortSnapshot port() {
  core::PortSnapshot port = active_port();
  port.link_layer = core::LinkLayer::kEthernet;
  port.lid = 17;
  port.sm_lid = 1;
  port.sm_sl = 0;
  port.lid_mask_count = 0;
  port.cap_mask = 0xa759e848;
  port.subnet_prefix = 0xfe80000000000000;
  port.active_mtu_bytes = 4096;
  port.max_mtu_bytes = 4096;
  core::Gid gid{};
  gid[10] = gid[11] = 0xff;
  gid[12] = 10;
  gid[15] = 1;
  port.gids = {{.index = 3, .gid = gid, .type = core::GidType::kRoceV2, .netdev = "ens5f0np0"}};
  port.pkeys = 1;
  port.netdev = "ens5f0np0";
  port.lifespan_milliseconds = 10;
  port.roce.emplace();
  port.roce->ecn_notification_point = core::PerPriority<bool>{false, false, false, true};
  port.roce->ecn_reaction_point = core::PerPriority<bool>{};
  port.roce->cnp_dscp = 48;
  port.roce->cnp_priority = 6;
  port.roce->default_tos = 106;
  port.roce->default_mode = "RoCE v2";
  port.roce->traffic_class = 106;
  port.counters = {sample(CounterSource::kPortCounters, "mlx5", "symbol_error", 65535),
                   sample(CounterSource::kPortCounters, "mlx5", "port_rcv_data", 1'000'000),
                   sample(CounterSource::kPortHwCounters, "mlx5", "out_of_sequence", 42),
                   sample(CounterSource::kPortHwCounters, "mlx5", "new <b>\xff", 1)};
  return port;
}

core::ReadIssue issue(std::string path, core::IssueReason reason) {
  core::ReadIssue issue;
  issue.source = core::Source::kSysfsCounters;
  issue.path = std::move(path);
  issue.reason = reason;
  issue.error_number = reason == core::IssueReason::kParse ? 0 : 22;
  issue.detail = reason == core::IssueReason::kParse ? "N/A (no PMA)" : "";
  issue.backing_off = true;
  return issue;
}

core::DeviceSnapshot device() {
  core::DeviceSnapshot device = device_with("mlx5_0", port());
  device.firmware = "28.39.1002";
  device.board_id = "MT_0000000838";
  device.hca_type = "MT4129";
  device.node_description = "node1 <&> \"mlx5_0\"";
  device.node_type = 1;
  device.node_guid = "0c42:a103:0065:1d7e";
  device.sys_image_guid = "0c42:a103:0065:1d7e";
  device.protocol = core::Protocol::kRoce;
  device.netlink_index = 1;
  device.pcie = {.address = "0000:3b:00.0",
                 .current_width_lanes = 8,
                 .max_width_lanes = 16,
                 .current_speed_transfers_per_second = 16e9,
                 .max_speed_transfers_per_second = 32e9,
                 .numa_node = 0,
                 .local_cpus = "0-31",
                 .iommu_domain = "DMA-FQ",
                 .acs_redirects = false,
                 .is_vf = false,
                 .aer_correctable = 12,
                 .aer_nonfatal = 0,
                 .aer_fatal = 0};
  device.node = core::DeviceNode{.path = "/dev/infiniband/uverbs0", .open_error = 13};
  device.interrupts = core::Interrupts{.total = 64, .remote = 8};
  device.temperatures = {{.sensor = "asic", .celsius = 57, .critical_celsius = 105}};
  device.counters = {sample(CounterSource::kDeviceHwCounters, "mlx5", "cq_overrun", 1)};
  device.netdevs = {netdev()};
  device.resources = {{.object = "qp", .current = 12, .max = 131072}};
  core::QueuePair pair;
  pair.local_qpn = 17;
  pair.remote_qpn = 18;
  pair.port = 1;
  pair.type = 2;
  pair.state = 3;
  pair.rq_psn = 1;
  pair.sq_psn = 2;
  pair.pid = 4242;
  pair.owner = "ib_write_bw";
  device.queue_pairs = {pair};
  device.health = {{.name = "fw",
                    .handle = "pci/0000:3b:00.0",
                    .port_index = 1,
                    .state = 1,
                    .errors = 2,
                    .recoveries = 1,
                    .automatic_recovery = true}};
  device.firmware_versions = {
      {.name = "fw", .fixed = "a", .running = "28.39.1002", .stored = "28.40.1000"}};
  core::SourceStatus status = source_status(core::Source::kSysfsCounters, true);
  status.duration = 1500us;
  status.last_success = kTime;
  status.errors[static_cast<std::size_t>(core::IssueReason::kEinval)] = 7;
  device.sources = {status};
  device.issues = {
      issue("class/infiniband/mlx5_0/ports/1/counters/VL15_dropped", core::IssueReason::kEinval),
      issue("class/infiniband/mlx5_0/ports/1/counters/link_downed", core::IssueReason::kParse)};
  device.read_at = kTime;
  device.read_steady = core::SteadyTime(kTime.time_since_epoch());
  return device;
}

}  // namespace

core::HostSnapshot full_host() {
  core::HostSnapshot host = host_with(device());
  host.taken_at = kTime;
  host.taken_steady = core::SteadyTime(kTime.time_since_epoch());
  host.kernel_release = "6.1.0-37-amd64";
  host.netns_shared = true;
  host.gpu = core::GpuSupport{.driver = "nvidia", .peer_memory = "nvidia_peermem"};
  host.devices[0].age = 250ms;
  core::DeviceEntry stuck;
  stuck.name = "mlx5_1";
  stuck.stuck = true;
  stuck.age = 12s;
  stuck.sources = {source_status(core::Source::kSysfsCounters, false)};
  core::DeviceEntry gone;
  gone.name = "mlx5_2";
  gone.present = false;
  host.devices.push_back(stuck);
  host.devices.push_back(gone);
  host.sources = {source_status(core::Source::kSysfsPort, true),
                  source_status(core::Source::kRdmaNetlink, false)};
  host.issues = {issue("class/infiniband", core::IssueReason::kEperm)};
  return host;
}

core::AgentStatus full_agent() {
  core::AgentStatus agent;
  agent.version = "0.1.0";
  agent.revision = "0123456789ab";
  agent.config_reload_successful = false;
  agent.config_reloaded_at = kTime;
  agent.web_config_reload_successful = true;
  agent.process = {.cpu_seconds = 1.5,
                   .start_time_seconds = 1'767'225'000,
                   .open_fds = 10,
                   .max_fds = 1024,
                   .virtual_memory_bytes = 50'000'000,
                   .resident_memory_bytes = 9'000'000,
                   .threads = 4};
  agent.ports = {{.device = "mlx5_0",
                  .port = 1,
                  .expected_bits_per_second = 200e9,
                  .state_changes = 3,
                  .last_state_change = kTime}};
  core::BurstDevice& burst = agent.bursts.emplace_back();
  burst.device = "mlx5_0";
  burst.window_seconds = 15;
  burst.samples = 700;
  burst.dropped = 50;
  burst.cpu_seconds = 0.25;
  burst.ports.push_back({.port = 1,
                         .peak_per_second = {24e9, 1e9, 30.0, std::nullopt, 4.0, 5.0},
                         .near_line_seconds = {0.5, 0.0},
                         .paused_seconds = {std::nullopt, std::nullopt, 1.5},
                         .longest_pause_seconds = {std::nullopt, std::nullopt, 0.25}});
  core::Finding finding;
  finding.rule = "link-degraded";
  finding.severity = core::FindingSeverity::kCritical;
  finding.subject = {.device = "mlx5_0", .port = 1, .netdev = "ens5f0np0"};
  finding.found = "rate 100 Gb/s";
  finding.expected = "200 Gb/s <b>";
  finding.meaning = "The link trained below what it can do.";
  finding.next_step = "Look at the cable & the switch port.";
  core::Unknown unknown;
  unknown.rule = "pfc-missing";
  unknown.subject = {.device = "mlx5_0", .port = 0, .netdev = ""};
  unknown.reason = "no DCB answer: EOPNOTSUPP";
  agent.diagnosis.findings = {finding};
  agent.diagnosis.unknown = {unknown};
  agent.diagnosis.any_device = true;
  return agent;
}

}  // namespace rdmadiag::test
