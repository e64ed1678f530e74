#include "agent/host/burst_plan.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace rdmadiag::host {
namespace {

using core::BurstCounter;

struct Wanted {
  std::string_view metric;
  BurstCounter counter;
  bool all_priorities = false;
};
constexpr std::array<Wanted, 5> kOfPorts = {{
    {"rdma_port_rx_bytes_total", BurstCounter::kRxBytes},
    {"rdma_port_tx_bytes_total", BurstCounter::kTxBytes},
    {"rdma_port_tx_wait_ticks_total", BurstCounter::kRxPause},
    {"rdma_port_tx_discards_total", BurstCounter::kDiscards},
    {"rdma_ecn_marked_received_total", BurstCounter::kEcnMarks},
}};
constexpr std::array<Wanted, 6> kOfNetdevs = {{
    {"rdma_nic_pfc_rx_frames_total", BurstCounter::kRxPause},
    {"rdma_nic_pfc_rx_frames_all_total", BurstCounter::kRxPause, true},
    {"rdma_nic_pause_rx_frames_total", BurstCounter::kRxPause},
    {"rdma_nic_pfc_tx_frames_total", BurstCounter::kTxPause},
    {"rdma_nic_pfc_tx_frames_all_total", BurstCounter::kTxPause, true},
    {"rdma_nic_pause_tx_frames_total", BurstCounter::kTxPause},
}};

const Wanted* find(std::span<const Wanted> wanted, const core::CounterSample& sample) {
  if (sample.spec == nullptr) return nullptr;
  for (const Wanted& one : wanted)
    if (one.metric == sample.spec->metric->name) return &one;
  return nullptr;
}

bool has(const BurstPort& port, BurstCounter counter) {
  return std::any_of(port.files.begin(), port.files.end(),
                     [&](const BurstFile& file) { return file.counter == counter; });
}

const char* folder_of(core::CounterSource source) {
  return source == core::CounterSource::kPortCounters ? "counters" : "hw_counters";
}

void take_port_counters(const std::filesystem::path& directory, const core::PortSnapshot& port,
                        BurstPort& plan) {
  for (const core::CounterSample& sample : port.counters) {
    const Wanted* wanted = find(kOfPorts, sample);
    // A second file of one metric, as in a vendor's own folder, counts the same.
    if (wanted == nullptr || has(plan, wanted->counter)) continue;
    plan.files.push_back({wanted->counter,
                          (directory / folder_of(sample.source) / sample.spec->name).string(),
                          sample.spec->scale});
  }
}

void take_netdev(const Roots& roots, const core::NetdevSnapshot& netdev, BurstPort& plan) {
  const auto statistics = roots.sys / "class/net" / netdev.name / "statistics";
  if (!has(plan, BurstCounter::kRxBytes) && !has(plan, BurstCounter::kTxBytes)) {
    plan.files.push_back({BurstCounter::kRxBytes, (statistics / "rx_bytes").string(), 1});
    plan.files.push_back({BurstCounter::kTxBytes, (statistics / "tx_bytes").string(), 1});
  }
  if (netdev.speed_bits_per_second)
    plan.line_rate = static_cast<double>(*netdev.speed_bits_per_second) / 8;
  const bool counts_pauses =
      std::any_of(netdev.counters.begin(), netdev.counters.end(),
                  [](const auto& s) { return pause_statistic(s).has_value(); });
  if (!counts_pauses || netdev.is_vf || netdev.is_bond || !netdev.ethtool) return;
  plan.pause_netdev = netdev.name;
  plan.pause_driver = netdev.ethtool->driver;
}

}  // namespace

std::optional<PauseStatistic> pause_statistic(const core::CounterSample& sample) {
  const Wanted* wanted = find(kOfNetdevs, sample);
  if (wanted == nullptr) return std::nullopt;
  return PauseStatistic{wanted->counter, wanted->all_priorities};
}

std::vector<BurstPort> burst_ports(const Roots& roots, const core::DeviceSnapshot& device) {
  std::vector<BurstPort> plans;
  for (const core::PortSnapshot& port : device.ports) {
    BurstPort& plan = plans.emplace_back();
    plan.device = device.name;
    plan.port = port.number;
    const auto directory =
        roots.sys / "class/infiniband" / device.name / "ports" / std::to_string(port.number);
    if (port.is_active() && port.rate && port.rate->bits_per_second > 0)
      plan.line_rate = port.rate->bits_per_second / 8;
    take_port_counters(directory, port, plan);
    const core::NetdevSnapshot* netdev =
        port.netdev.empty() ? nullptr : device.find_netdev(port.netdev);
    if (netdev != nullptr) take_netdev(roots, *netdev, plan);
  }
  return plans;
}

}  // namespace rdmadiag::host
