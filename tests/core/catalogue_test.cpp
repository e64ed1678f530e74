#include "agent/core/catalogue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

using namespace rdmadiag::core;

namespace {

std::string metric_of(CounterSource source, std::string_view driver, std::string_view name) {
  const CounterSpec* spec = find_counter(source, driver, name);
  return spec == nullptr ? "" : std::string(spec->metric->name);
}

std::string port_metric(std::string_view driver, std::string_view name) {
  return metric_of(CounterSource::kPortHwCounters, driver, name);
}

std::string device_metric(std::string_view driver, std::string_view name) {
  return metric_of(CounterSource::kDeviceHwCounters, driver, name);
}

std::string netdev_metric(std::string_view driver, std::string_view name) {
  return metric_of(CounterSource::kEthtool, driver, name);
}

}  // namespace

TEST_CASE("a counter is found by its source, driver and exact name only") {
  CHECK(port_metric("mlx5", "out_of_sequence") == "rdma_out_of_sequence_received_total");
  CHECK(port_metric("mlx4", "out_of_sequence").empty());
  CHECK(port_metric("mlx5", "out_of_sequenc").empty());
  CHECK(port_metric("mlx5", "").empty());
  CHECK(device_metric("mlx5", "out_of_sequence").empty());
  CHECK(port_metric("nobody", "no_such_counter").empty());
  CHECK(port_metric("mlx5", "lifespan").empty());
}

TEST_CASE("names with spaces and commas are as the kernel writes them") {
  CHECK(port_metric("irdma", "Nak Sequence Error Implied") == "rdma_implied_nak_total");
  CHECK(device_metric("hfi1", "RxICrcErr,32") == "rdma_device_icrc_errors_total");
  CHECK(device_metric("hfi1", "RxICrcErr").empty());
  CHECK(device_metric("hfi1", "Tx Egress Reserved 10") == "rdma_hfi1_tx_egress_reserved_10_total");
}

TEST_CASE("counters of any driver are found on every driver") {
  for (const std::string_view driver : {"mlx5", "hfi1", "unheard_of", ""}) {
    CHECK(metric_of(CounterSource::kPortCounters, driver, "port_rcv_data") ==
          "rdma_port_rx_bytes_total");
  }
  CHECK(metric_of(CounterSource::kPortCounters, "mlx5", "vl15_dropped").empty());
}

TEST_CASE("port and device counters of one meaning are two metrics") {
  CHECK(port_metric("mana", "num_qps_congested") == "rdma_qp_congested_events_total");
  CHECK(device_metric("mana", "qp_congested_events") == "rdma_device_qp_congested_events_total");
  CHECK(device_metric("mlx4", "num_cqovf") == "rdma_cq_overflows_total");
  CHECK(device_metric("mlx5", "nic_receive_steering_discard") ==
        "rdma_device_rx_steering_discards_total");
  CHECK(netdev_metric("bnxt_en", "rx_filter_miss") == "rdma_nic_rx_steering_discards_total");
}

TEST_CASE("a metric's scope is the scope of every counter it is made of") {
  for (const CounterSpec& spec : all_counters()) {
    INFO(spec.driver << " " << spec.name);
    switch (spec.source) {
      case CounterSource::kPortCounters:
      case CounterSource::kPortHwCounters: CHECK(spec.metric->scope == MetricScope::kPort); break;
      case CounterSource::kDeviceHwCounters:
        CHECK(spec.metric->scope == MetricScope::kDevice);
        break;
      case CounterSource::kEthtool: CHECK(spec.metric->scope == MetricScope::kNetdev); break;
    }
    CHECK(find_counter(spec.source, spec.driver, spec.name) == &spec);
  }
}

TEST_CASE("units become base units") {
  const auto scale = [](CounterSource source, std::string_view driver, std::string_view name) {
    const CounterSpec* spec = find_counter(source, driver, name);
    REQUIRE(spec != nullptr);
    return spec->scale;
  };
  CHECK(scale(CounterSource::kPortCounters, "", "port_xmit_data") == 4);
  CHECK(scale(CounterSource::kPortCounters, "", "port_xmit_packets") == 1);
  CHECK(scale(CounterSource::kPortHwCounters, "hfi1", "RxWords") == 4);
  CHECK(scale(CounterSource::kPortHwCounters, "hfi1", "TxFlitVL15") == 8);
  CHECK(scale(CounterSource::kDeviceHwCounters, "mlx5", "icm_consumption") == 4096);
  CHECK(scale(CounterSource::kEthtool, "mlx5_core", "rx_prio0_pause_duration") == 1e-6);
  CHECK(scale(CounterSource::kEthtool, "mlx5_core", "outbound_pci_stalled_rd") == 0.01);
}

TEST_CASE("an index in a name is a label of the metric, or summed over") {
  const CounterSpec* pause = find_counter(CounterSource::kEthtool, "mlx5_core", "rx_prio3_pause");
  REQUIRE(pause != nullptr);
  CHECK(pause->index == "3");
  CHECK(pause->metric->index_label == "priority");
  CHECK(pause->metric->name == "rdma_nic_pfc_rx_frames_total");
  CHECK(netdev_metric("mlx5_core", "rx_prio8_pause").empty());
  CHECK(netdev_metric("mlx5_core", "rx_prio{P}_pause").empty());
  const CounterSpec* context = find_counter(CounterSource::kPortHwCounters, "hfi1", "RcvHdrOvr159");
  REQUIRE(context != nullptr);
  CHECK(context->metric->index_label.empty());
  CHECK(context->metric->name == "rdma_rx_no_buffer_drops_total");
  CHECK(port_metric("hfi1", "TxPktVL15") == "rdma_hfi1_tx_pkt_vl_total");
  CHECK(port_metric("hfi1", "TxPktVL8").empty());
}

TEST_CASE("fixed-width fields of the basic set know their width") {
  const auto width = [](std::string_view name) {
    return int{find_counter(CounterSource::kPortCounters, "", name)->width_bits};
  };
  CHECK(width("local_link_integrity_errors") == 4);
  CHECK(width("link_downed") == 8);
  CHECK(width("symbol_error") == 16);
  CHECK(width("port_xmit_wait") == 32);
  CHECK(width("unicast_rcv_packets") == 0);
}

TEST_CASE("metric names are unique and sorted") {
  const auto metrics = all_metrics();
  CHECK(metrics.size() > 500);
  CHECK(std::is_sorted(metrics.begin(), metrics.end(),
                       [](const MetricSpec& a, const MetricSpec& b) { return a.name <= b.name; }));
}
