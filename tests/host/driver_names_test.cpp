#include "agent/host/driver_names.h"

#include <catch2/catch.hpp>
#include <vector>

#include "agent/host/counter_names.h"
#include "agent/host/unsafe_reads.h"

using namespace rdmadiag::host;
using rdmadiag::core::CounterSource;

TEST_CASE("kernel modules become the catalogue's drivers") {
  CHECK(driver_of_module("mlx5_core") == "mlx5");
  CHECK(driver_of_module("bnxt_en") == "bnxt_re");
  CHECK(driver_of_module("ice") == "irdma");
  CHECK(driver_of_module("efa") == "efa");
  CHECK(driver_of_module("brand_new") == "brand_new");
}

TEST_CASE("PCI ids tell the driver where no link does") {
  CHECK(driver_of_pci_id(0x15b3, 0x1021) == "mlx5");
  CHECK(driver_of_pci_id(0x15b3, 0xa2dc) == "mlx5");
  CHECK(driver_of_pci_id(0x15b3, 0x1003) == "mlx4");
  CHECK(driver_of_pci_id(0x15b3, 0x673c) == "mlx4");
  CHECK(driver_of_pci_id(0x8086, 0x24f0) == "hfi1");
  CHECK(driver_of_pci_id(0x8086, 0x1592) == "irdma");
  CHECK(driver_of_pci_id(0x1077, 0x7322) == "qib");
  CHECK(driver_of_pci_id(0x1077, 0x8070) == "qedr");
  CHECK(driver_of_pci_id(0x1234, 0x1021).empty());
}

TEST_CASE("without a driver a name has a row where the likely drivers agree on it") {
  const auto metric = [](std::vector<std::string_view> names) -> std::string_view {
    const auto* row = find_rows(CounterSource::kPortHwCounters, "", names).front();
    return row == nullptr ? "" : row->metric->name;
  };
  CHECK(metric({"out_of_buffer"}) == "rdma_rx_no_buffer_drops_total");
  CHECK(metric({"rcvd_pkts", "completer_retry_err", "sent_pkts"}) == "rdma_rx_packets_total");
  // mlx5 and bnxt_re mean different things by it; its neighbours tell them apart.
  CHECK(metric({"rp_cnp_handled"}).empty());
  CHECK(metric({"rp_cnp_handled", "req_transport_retries_exceeded", "rx_dct_connect"}) ==
        "rdma_cnp_handled_total");
  CHECK(metric({"np_cnp_sent", "rp_cnp_handled"}) == "rdma_cnp_sent_total");
  CHECK(metric({"nobody_knows_this"}).empty());
  CHECK(find_rows(CounterSource::kPortHwCounters, "", {}).empty());
}

TEST_CASE("a known driver has its own rows and those of any driver") {
  const std::vector<std::string_view> names = {"symbol_error", "nobody_knows_this"};
  const auto rows = find_rows(CounterSource::kPortCounters, "mlx5", names);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]->metric->name == "rdma_port_symbol_errors_total");
  CHECK(rows[1] == nullptr);
}

TEST_CASE("hw_counters of old bnxt chips are not read on the kernels that they break") {
  const auto unsafe = [](const char* driver, const char* kernel, std::optional<std::uint32_t> id) {
    return !unsafe_hw_counters(driver, parse_kernel_release(kernel), id).empty();
  };
  CHECK(unsafe("bnxt_re", "6.18.0", 0x16d7));
  CHECK(unsafe("bnxt_re", "6.18.3-generic", 0xd802));
  CHECK(unsafe("bnxt_re", "6.18.1", std::nullopt));
  CHECK_FALSE(unsafe("bnxt_re", "6.18.4", 0x16d7));
  CHECK_FALSE(unsafe("bnxt_re", "6.17.12", 0x16d7));
  CHECK_FALSE(unsafe("bnxt_re", "6.18.1", 0x1750));
  CHECK_FALSE(unsafe("mlx5", "6.18.1", 0x16d7));
  CHECK_FALSE(unsafe("bnxt_re", "", 0x16d7));
}
