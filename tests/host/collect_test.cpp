// Sharing, filters, devices that come and go.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using core::Source;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> names_of(const core::HostSnapshot& host) {
  std::vector<std::string> names;
  for (const auto& entry : host.devices) names.push_back(entry.name);
  return names;
}

void add_device(SampleTree& tree, const std::string& name, const std::string& guid) {
  const std::string directory = "sys/class/infiniband/" + name + "/";
  tree.write(directory + "node_type", "1: CA\n");
  tree.write(directory + "node_guid", guid + "\n");
  tree.write(directory + "ports/1/state", "4: ACTIVE\n");
  tree.write(directory + "ports/1/counters/symbol_error", "7\n");
}

}  // namespace

TEST_CASE("requests within the shortest interval get the same snapshot") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  const HostPointer first = collector->collect();
  const std::size_t reads = fixture.files->reads();
  fixture.pass(999ms);
  CHECK(collector->collect() == first);
  CHECK(fixture.files->reads() == reads);
  fixture.pass(1ms);
  CHECK(collector->collect() != first);
  CHECK(fixture.files->reads() > reads);
}

TEST_CASE("concurrent requests share one read") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  for (int round = 0; round < 20; ++round) {
    fixture.pass();
    std::vector<HostPointer> seen(8);
    std::vector<std::thread> threads;
    for (HostPointer& mine : seen) {
      threads.emplace_back([&] { mine = collector->collect(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const HostPointer& mine : seen) {
      REQUIRE(mine != nullptr);
      CHECK(mine == seen.front());
    }
  }
}

TEST_CASE("rescans and other options beside requests lose nothing") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 25; ++round) {
        if (i == 0) collector->rescan();
        if (i == 1 && round % 5 == 0) collector->reconfigure(fixture.options);
        fixture.pass();
        if (collector->collect()->devices.size() != 5) throw std::runtime_error("device lost");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(collector->collect()->devices.size() == 5);
}

TEST_CASE("between refreshes a read is one system call a value: nothing is opened or listed") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.rescan_interval = 1h;
  const auto collector = fixture.make();
  std::size_t counters = 0;
  const HostPointer first = collector->collect();
  for (const auto& entry : first->devices) {
    for (const auto& port : entry.snapshot->ports) counters += port.counters.size();
  }
  fixture.pass();
  const std::size_t opens = fixture.files->opens();
  const std::size_t lists = fixture.files->lists();
  const std::size_t reads = fixture.files->reads();
  (void)collector->collect();
  CHECK(fixture.files->opens() == opens);
  CHECK(fixture.files->lists() == lists);
  CHECK(fixture.files->reads() - reads < counters + 5 * 16);
}

TEST_CASE("files beyond the budget of descriptors are opened for each read") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.max_kept_files = 10;
  fixture.options.rescan_interval = 1h;
  const auto collector = fixture.make();
  const HostPointer first = collector->collect();
  fixture.pass();
  const std::size_t opens = fixture.files->opens();
  const HostPointer second = collector->collect();
  CHECK(fixture.files->opens() > opens + 100);
  CHECK(port_of(*second, "mlx5_2").counters.size() == port_of(*first, "mlx5_2").counters.size());
}

TEST_CASE("a low limit of descriptors costs time, not values") {
  struct Limit {
    rlimit before{};
    explicit Limit(rlim_t descriptors) {
      ::getrlimit(RLIMIT_NOFILE, &before);
      rlimit now = before;
      now.rlim_cur = descriptors;
      ::setrlimit(RLIMIT_NOFILE, &now);
    }
    ~Limit() { ::setrlimit(RLIMIT_NOFILE, &before); }
  };
  HostFixture fixture("mlx5_ib_ndr");
  const Limit limit(100);
  const HostPointer host = fixture.make()->collect();
  CHECK(host->devices.size() == 5);
  for (const auto& entry : host->devices) CHECK(entry.snapshot->issues.empty());
}

TEST_CASE("nothing below an excluded device is ever touched") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.include = {"mlx5_.*"};
  fixture.options.exclude = {"mlx5_[34]"};
  const auto collector = fixture.make();
  const HostPointer host = collector->collect();
  CHECK(names_of(*host) == std::vector<std::string>{"mlx5_0", "mlx5_1", "mlx5_2"});
  for (const std::string& path : fixture.files->touched()) {
    INFO(path);
    CHECK(path.find("mlx5_3") == path.npos);
    CHECK(path.find("mlx5_4") == path.npos);
  }
}

TEST_CASE("a pattern must match the whole name") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.include = {"mlx5"};
  CHECK(fixture.make()->collect()->devices.empty());
  fixture.options.include = {"mlx5_0|mlx5_1"};
  CHECK(fixture.make()->collect()->devices.size() == 2);
}

TEST_CASE("a line break in its name hides no device") {
  HostFixture fixture("no_devices");
  fixture.tree.make_directory("sys/class/infiniband/rxe\n0\r/ports/1");
  fixture.tree.make_directory("sys/class/infiniband/rxe1/ports/1");
  CHECK(names_of(*fixture.make()->collect()) == std::vector<std::string>{"rxe\n0\r", "rxe1"});
  fixture.options.exclude = {"rxe.0."};
  CHECK(names_of(*fixture.make()->collect()) == std::vector<std::string>{"rxe1"});
}

TEST_CASE("of a device left out by its link layer only what tells the link layer is read") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.link_layers = {"ethernet", "iwarp"};
  const auto collector = fixture.make();
  CHECK(collector->collect()->devices.empty());
  fixture.pass();
  CHECK(collector->collect()->devices.empty());
  for (const std::string& path : fixture.files->touched()) {
    INFO(path);
    CHECK(path.find("counters") == path.npos);
    CHECK_FALSE(path.ends_with("/state"));
    CHECK_FALSE(path.ends_with("/rate"));
  }
}

TEST_CASE("link layers choose ports; an unknown one is always read") {
  HostFixture mixed("mlx4");  // port 1 InfiniBand, port 2 Ethernet
  mixed.options.link_layers = {"infiniband"};
  CHECK(device_of(*mixed.make()->collect(), "mlx4_0").ports.size() == 1);
  HostFixture unknown("efa");
  unknown.options.link_layers = {"infiniband"};
  CHECK(unknown.make()->collect()->devices.size() == 2);
  HostFixture iwarp("siw");
  iwarp.options.link_layers = {"ethernet"};
  CHECK(iwarp.make()->collect()->devices.empty());
  iwarp.options.link_layers = {"iwarp"};
  CHECK(iwarp.make()->collect()->devices.size() == 1);
}

TEST_CASE("a disabled source is not read") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.disabled = {Source::kSysfsHwCounters, Source::kPcie};
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_0");
  CHECK(find_status(device.sources, Source::kSysfsHwCounters) == nullptr);
  CHECK_FALSE(device.pcie.current_width_lanes);
  CHECK_FALSE(device.ports.front().counters.empty());
  for (const std::string& path : fixture.files->touched()) {
    CHECK(path.find("hw_counters") == path.npos);
  }
}

TEST_CASE("options are checked before they are used") {
  host::CollectOptions options;
  CHECK(host::check_options(options));
  options.exclude = {"mlx5_[0"};
  CHECK(host::check_options(options).error().message() == "not a regular expression: mlx5_[0");
  options.exclude.clear();
  options.link_layers = {"infiniband", "token ring"};
  CHECK(host::check_options(options).error().message() ==
        "unknown link layer: token ring (infiniband, ethernet, iwarp)");
}

TEST_CASE("devices appear, vanish and come back") {
  HostFixture fixture;
  fixture.tree.make_directory("sys/class/infiniband");
  const auto collector = fixture.make();
  CHECK(collector->collect()->devices.empty());

  add_device(fixture.tree, "mlx5_0", "0c42:a103:0065:1d7e");
  fixture.pass();
  CHECK(collector->collect()->devices.empty());  // not due yet
  fixture.pass(30s);
  HostPointer host = collector->collect();
  CHECK(value_of(port_of(*host, "mlx5_0").counters, "symbol_error") == 7U);

  // The last device vanishing must show as well.
  fixture.tree.remove("sys/class/infiniband/mlx5_0");
  collector->rescan();
  host = collector->collect();
  REQUIRE(find_entry(*host, "mlx5_0") != nullptr);
  CHECK_FALSE(find_entry(*host, "mlx5_0")->present);
  CHECK_FALSE(find_entry(*host, "mlx5_0")->stuck);
  CHECK(find_entry(*host, "mlx5_0")->snapshot == nullptr);
  CHECK(find_entry(*host, "mlx5_0")->known_ports == std::vector<std::uint32_t>{1});

  fixture.pass(4min);
  CHECK(find_entry(*collector->collect(), "mlx5_0") != nullptr);
  fixture.pass(1min);
  CHECK(find_entry(*collector->collect(), "mlx5_0") == nullptr);

  add_device(fixture.tree, "mlx5_0", "0c42:a103:0065:1d7e");
  collector->rescan();
  CHECK(find_entry(*collector->collect(), "mlx5_0")->snapshot != nullptr);
}

TEST_CASE("a renamed device is the same device, not one that vanished") {
  HostFixture fixture;
  add_device(fixture.tree, "mlx5_0", "0c42:a103:0065:1d7e");
  add_device(fixture.tree, "mlx5_1", "0c42:a103:0065:1d7f");
  const auto collector = fixture.make();
  CHECK(collector->collect()->devices.size() == 2);
  fixture.tree.remove("sys/class/infiniband/mlx5_0");
  add_device(fixture.tree, "rocep59s0", "0c42:a103:0065:1d7e");
  collector->rescan();
  const HostPointer host = collector->collect();
  CHECK(names_of(*host) == std::vector<std::string>{"mlx5_1", "rocep59s0"});
}

TEST_CASE("other options take effect at the next request") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  CHECK(collector->collect()->devices.size() == 5);
  fixture.options.exclude = {"mlx5_0"};
  collector->reconfigure(fixture.options);
  const HostPointer host = collector->collect();
  CHECK(host->devices.size() == 4);
  CHECK(find_entry(*host, "mlx5_0") == nullptr);
}

TEST_CASE("entries of the class that are no devices are told and passed over") {
  HostFixture fixture("broken_odd_values");
  fixture.tree.make_link("sys/class/infiniband/mlx5_9", "../../devices/nowhere");
  const auto collector = fixture.make();
  const HostPointer host = collector->collect();
  CHECK(names_of(*host) == std::vector<std::string>{"mlx5_0"});
  CHECK(find_issue(host->issues, "/not_a_dir") != nullptr);
  CHECK(find_issue(host->issues, "/empty_dev") != nullptr);
  REQUIRE(find_issue(host->issues, "/mlx5_9") != nullptr);
  CHECK(find_issue(host->issues, "/mlx5_9")->detail.find("dangling") == 0);
  CHECK(find_issue(device_of(*host, "mlx5_0").issues, "/ports/bogus") != nullptr);
  // They stay told between listings.
  fixture.pass();
  CHECK(find_issue(collector->collect()->issues, "/empty_dev") != nullptr);
}

TEST_CASE("the host says its name and kernel") {
  HostFixture fixture("no_devices");
  fixture.tree.write("proc/sys/kernel/hostname", "node042\n");
  fixture.tree.write("proc/sys/kernel/osrelease", "6.12.9-amd64\n");
  const HostPointer host = fixture.make()->collect();
  CHECK(host->hostname == "node042");
  CHECK(host->kernel_release == "6.12.9-amd64");
  CHECK(host->taken_at == fixture.clock->system());
}
