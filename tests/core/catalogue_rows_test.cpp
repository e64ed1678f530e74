#include "agent/core/catalogue/rows.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using catalogue::Catalogue;
using catalogue::Problem;

namespace {

// A catalogue of one metric and one counter, to which each test adds what it is about.
class Tables {
 public:
  void add_metric(const std::string& row) { metrics_ += row + "\n"; }
  void add_port(const std::string& row) { port_ += row + "\n"; }
  void add_hw(const std::string& row) { hw_ += row + "\n"; }
  void add_ethtool(const std::string& row) { ethtool_ += row + "\n"; }

  Catalogue read() {
    write("metrics.tsv", metrics_);
    write("port_counters.tsv", port_);
    write("hw_counters.tsv", hw_);
    write("ethtool_stats.tsv", ethtool_);
    return catalogue::read_catalogue(directory_.path().string(), problems_);
  }

  // "hw_counters.tsv:3: message" of the only problem, else the number of problems.
  std::string problem() {
    (void)read();
    if (problems_.size() != 1) return std::to_string(problems_.size()) + " problems";
    const Problem& p = problems_.front();
    const std::string file = p.file.substr(p.file.rfind('/') + 1);
    return file + ":" + std::to_string(p.line) + ": " + p.message;
  }

 private:
  void write(const std::string& file, const std::string& text) {
    std::ofstream(directory_.path() / file) << text;
  }

  test::TempDir directory_;
  std::vector<Problem> problems_;
  std::string metrics_ =
      "metric\ttype\tscope\tlabel\tclass\tseverity\thelp\n"
      "rdma_x_total\tcounter\tport\t\tdrop\twarn\tx happened\n";
  std::string port_ = "counter\tset\tunit\twidth_bits\tmetric\tclass\tseverity\tmeaning\tnotes\n";
  std::string hw_ =
      "driver\tcounter\tscope\tkind\tunit\tmetric\tclass\tseverity\tmeaning\tavailability\n"
      "drv\tx\tport\tcounter\tevents\trdma_x_total\tdrop\twarn\tx\t\n";
  std::string ethtool_ = "driver\tcounter\tkind\tunit\tmetric\tclass\tseverity\tmeaning\tnotes\n";
};

std::string hw_problem(const std::string& row) {
  Tables tables;
  tables.add_hw(row);
  return tables.problem();
}

std::string metric_problem(const std::string& row) {
  Tables tables;
  tables.add_metric(row);
  return tables.problem();
}

}  // namespace

TEST_CASE("a good table has no problem") {
  Tables tables;
  tables.add_hw("# a remark");
  CHECK(tables.problem() == "0 problems");
}

TEST_CASE("a bad counter row is named with its file and line") {
  CHECK(hw_problem("drv\ty\tport") == "hw_counters.tsv:3: 3 columns where 10 are expected");
  CHECK(hw_problem("drv\ty\tvport\tcounter\tevents\t\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: scope is port or device, not 'vport'");
  CHECK(hw_problem("drv\ty\tport\tsum\tevents\t\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: kind is counter or gauge, not 'sum'");
  CHECK(hw_problem("drv\ty\tport\tcounter\tparsecs\t\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: unknown unit 'parsecs'");
  CHECK(hw_problem("drv\ty\tport\tcounter\tevents\t\tdorp\twarn\ty\t") ==
        "hw_counters.tsv:3: unknown class 'dorp'");
  CHECK(hw_problem("drv\ty\tport\tcounter\tevents\t\tdrop\tfatal\ty\t") ==
        "hw_counters.tsv:3: severity is info, warn or critical, not 'fatal'");
  CHECK(hw_problem("drv\ty\tport\tcounter\tevents\t\tdrop\twarn\t\t") ==
        "hw_counters.tsv:3: counter and meaning may not be empty");
  CHECK(hw_problem("drv\ty{Z}\tport\tcounter\tevents\t\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: unknown index in 'y{Z}'");
  CHECK(hw_problem("drv\tx \tport\tcounter\tevents\t\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: 'x ' begins or ends in a space");
  CHECK(hw_problem("drv\tx\tport\tcounter\tevents\t\tdrop\twarn\t\xc3\xa4\t") ==
        "hw_counters.tsv:3: '\xc3\xa4' is not printable ASCII");
  CHECK(hw_problem("drv\tx\tport\tcounter\tevents\trdma_x_total\tdrop\twarn\tx\t") ==
        "hw_counters.tsv:3: x is there twice for drv");
}

TEST_CASE("a counter must fit the metric it names") {
  CHECK(hw_problem("drv\ty\tport\tcounter\tevents\trdma_y_total\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: metrics.tsv has no rdma_y_total");
  CHECK(hw_problem("drv\ty\tport\tgauge\tevents\trdma_x_total\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: y is a gauge, rdma_x_total a counter");
  CHECK(hw_problem("drv\ty\tdevice\tcounter\tevents\trdma_x_total\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: rdma_x_total is already read from another place than y");
  CHECK(hw_problem("drv\ty\tport\tcounter\tbytes\trdma_x_total\tdrop\twarn\ty\t") ==
        "hw_counters.tsv:3: a metric of unit 'bytes' ends in '_bytes', not as rdma_x_total");

  Tables scopes;
  scopes.add_metric("rdma_y_total\tcounter\tport\t\tdrop\twarn\ty");
  scopes.add_hw("drv\ty\tdevice\tcounter\tevents\trdma_y_total\tdrop\twarn\ty\t");
  scopes.add_hw("drv\tz\tport\tcounter\tevents\trdma_y_total\tdrop\twarn\ty\t");
  CHECK(scopes.problem() == "hw_counters.tsv:3: y is of the device, rdma_y_total of the port");

  Tables label;
  label.add_metric("rdma_y_total\tcounter\tport\tvl\tdrop\twarn\ty");
  label.add_hw("drv\ty{VL}\tport\tcounter\tevents\trdma_y_total\tdrop\twarn\ty\t");
  label.add_hw("drv\tz\tport\tcounter\tevents\trdma_y_total\tdrop\twarn\tz\t");
  CHECK(label.problem() == "hw_counters.tsv:4: rdma_y_total needs the index 'vl', z has none");
}

TEST_CASE("a bad metric row is named with its file and line") {
  CHECK(metric_problem("rdma_y\tcounter\tport\t\tdrop\twarn\ty") ==
        "metrics.tsv:3: rdma_y is a counter and does not end in _total");
  CHECK(metric_problem("rdma_y_total\tgauge\tport\t\tdrop\twarn\ty") ==
        "metrics.tsv:3: rdma_y_total is a gauge and ends in _total");
  CHECK(metric_problem("rdma_y_total\tcounter\thost\t\tdrop\twarn\ty") ==
        "metrics.tsv:3: scope is device, port or netdev, not 'host'");
  CHECK(metric_problem("rdma_y_total\tcounter\tport\tcolour\tdrop\twarn\ty") ==
        "metrics.tsv:3: unknown label 'colour'");
  CHECK(metric_problem("rdma_y_total\tcounter\tport\t\tdrop\twarn\t") ==
        "metrics.tsv:3: rdma_y_total has no help");
  CHECK(metric_problem("rdma_x_total\tcounter\tport\t\tdrop\twarn\tx") ==
        "metrics.tsv:3: rdma_x_total is there twice");
  CHECK(metric_problem("rdma_y_total\tcounter\tport\t\tdrop\twarn\ty") ==
        "metrics.tsv:3: rdma_y_total has no counter");
}

TEST_CASE("metric names follow what promtool accepts") {
  CHECK(catalogue::name_fault("rdma_rx_bytes_total", true).empty());
  CHECK(catalogue::name_fault("nic_rx_bytes_total", true) == "does not begin with rdma_");
  CHECK(catalogue::name_fault("rdma_Rx_total", true) == "may only hold a-z, 0-9 and _");
  CHECK(catalogue::name_fault("rdma__rx_total", true) == "has an empty word");
  CHECK(catalogue::name_fault("rdma_rx_bits_total", true) ==
        "holds the word 'bits', which promtool refuses");
  CHECK(catalogue::name_fault("rdma_wait_ms", false) ==
        "holds the word 'ms', which promtool refuses");
  CHECK(catalogue::name_fault("rdma_rx_count", false) == "ends in _count");
}

TEST_CASE("a port counter's width is one of the fields that exist") {
  Tables tables;
  tables.add_port("y\tbasic\terrors\t12\t\tdrop\twarn\ty\t");
  CHECK(tables.problem() == "port_counters.tsv:2: width_bits is 0, 4, 8, 16 or 32, not '12'");
}

TEST_CASE("a missing table or another header is a problem") {
  test::TempDir empty;
  std::vector<Problem> problems;
  (void)catalogue::read_catalogue(empty.path().string(), problems);
  CHECK(problems.size() == 4);
  CHECK(problems.front().message == "cannot be read");

  std::ofstream(empty.path() / "metrics.tsv") << "metric\ttype\n";
  problems.clear();
  (void)catalogue::read_catalogue(empty.path().string(), problems);
  CHECK(problems.front().message == "the header does not name the expected columns");
}

TEST_CASE("sanitised names are plain words") {
  CHECK(catalogue::sanitise("RxTIDFullEr,32") == "rx_tid_full_er");
  CHECK(catalogue::sanitise("Nak Sequence Error") == "nak_sequence_error");
  CHECK(catalogue::sanitise("TxPktVL{VL}") == "tx_pkt_vl");
  CHECK(catalogue::sanitise("rx_prio{P}_pause") == "rx_prio_pause");
  CHECK(catalogue::sanitise("port.rx_bytes[0]") == "port_rx_bytes_0");
  CHECK(catalogue::sanitise("MISC_CSR_PARITY_ERR") == "misc_csr_parity_err");
  CHECK(catalogue::sanitise("SDmaHaltErr") == "sdma_halt_err");
  CHECK(catalogue::sanitise("iwRdmaBnd") == "iw_rdma_bnd");
}

TEST_CASE("a counter without a metric gets one of its own") {
  Tables tables;
  tables.add_hw("drv\tOddThing\tport\tcounter\tevents\t\tother\tinfo\todd\t");
  tables.add_hw("drv\tOddThing\tdevice\tcounter\tevents\t\tother\tinfo\todd\t");
  tables.add_hw("drv\tbacklog\tdevice\tgauge\tbytes\t\tother\tinfo\tbacklog\t");
  const Catalogue read = tables.read();
  CHECK(read.metrics.contains("rdma_drv_odd_thing_total"));
  CHECK(read.metrics.contains("rdma_drv_device_odd_thing_total"));
  CHECK(read.metrics.contains("rdma_drv_backlog_bytes"));
}

TEST_CASE("two counters whose own names would be the same are refused") {
  Tables tables;
  tables.add_hw("drv\tOddThing\tport\tcounter\tevents\t\tother\tinfo\todd\t");
  tables.add_hw("drv\todd thing\tport\tcounter\tevents\t\tother\tinfo\todd\t");
  CHECK(tables.problem() == "hw_counters.tsv:4: rdma_drv_odd_thing_total is there twice");
}
