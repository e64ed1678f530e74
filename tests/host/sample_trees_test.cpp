#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "agent/host/sysfs_parse.h"
#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using core::CounterSource;

namespace {

constexpr std::string_view kClass = "sys/class/infiniband/";

// What a counter file's path says of where it belongs.
struct CounterFile {
  std::string device;
  std::uint32_t port = 0;  // 0: of the device
  CounterSource source = CounterSource::kPortCounters;
  std::string name;
};

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= path.size();) {
    const auto end = std::min(path.find('/', start), path.size());
    parts.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::optional<CounterFile> counter_file(const std::string& path) {
  if (!path.starts_with(kClass)) return std::nullopt;
  const auto parts = split(path.substr(kClass.size()));
  if (parts.back() == "lifespan" || parts.back() == ".keep") return std::nullopt;
  if (parts.size() == 3 && parts[1] == "hw_counters") {
    return CounterFile{parts[0], 0, CounterSource::kDeviceHwCounters, parts[2]};
  }
  if (parts.size() != 5 || parts[1] != "ports" || !host::parse_counter(parts[2])) {
    return std::nullopt;
  }
  const auto port = static_cast<std::uint32_t>(*host::parse_counter(parts[2]));
  if (parts[3] == "counters") {
    return CounterFile{parts[0], port, CounterSource::kPortCounters, parts[4]};
  }
  if (parts[3] == "hw_counters" || parts[3] == "diag_counters") {
    return CounterFile{parts[0], port, CounterSource::kPortHwCounters, parts[4]};
  }
  return std::nullopt;
}

std::size_t count_samples(const core::HostSnapshot& host) {
  std::size_t count = 0;
  for (const auto& entry : host.devices) {
    count += entry.snapshot->counters.size();
    for (const auto& port : entry.snapshot->ports) count += port.counters.size();
  }
  return count;
}

}  // namespace

TEST_CASE("everything readable in every sample tree is collected, and nothing else") {
  for (const std::string& name : sample_tree_names()) {
    INFO(name);
    HostFixture fixture(name);
    const HostPointer host = fixture.make()->collect();
    std::size_t expected = 0;
    for (const SampleFile& file : sample_files(name)) {
      const auto counter = counter_file(file.path);
      if (!counter) continue;
      INFO(file.path);
      const auto value = host::parse_counter(file.content);
      const core::DeviceSnapshot& device = device_of(*host, counter->device);
      const auto& samples = counter->port == 0
                                ? device.counters
                                : port_of(*host, counter->device, counter->port).counters;
      const bool found = std::any_of(samples.begin(), samples.end(), [&](const auto& sample) {
        return sample.source == counter->source && sample.name() == counter->name &&
               sample.value == value;
      });
      CHECK(found == value.has_value());
      if (value) ++expected;
      if (!value) CHECK(find_issue(device.issues, "/" + counter->name) != nullptr);
    }
    CHECK(count_samples(*host) == expected);
  }
}

TEST_CASE("drivers are found without a driver link, and never by name") {
  const std::map<std::string, std::string> drivers = {{"mlx5_ib_ndr", "mlx5"},
                                                      {"mlx5_roce_200g", "mlx5"},
                                                      {"irdma_e810", "irdma"},
                                                      {"bnxt_re_6_12", "bnxt_re"},
                                                      {"irdma_gen3_names", "irdma"},
                                                      {"hfi1", "hfi1"},
                                                      {"qib", "qib"},
                                                      {"efa", "efa"},
                                                      {"mlx4", "mlx4"},
                                                      {"mana", "mana"},
                                                      {"hns", "hns"},
                                                      {"erdma", "erdma"},
                                                      {"cxgb4", "cxgb4"},
                                                      {"rxe", "rxe"},
                                                      {"siw", "siw"},
                                                      {"netns_compat", ""}};
  for (const auto& [tree, driver] : drivers) {
    INFO(tree);
    HostFixture fixture(tree);
    const HostPointer host = fixture.make()->collect();
    REQUIRE_FALSE(host->devices.empty());
    for (const auto& entry : host->devices) CHECK(entry.snapshot->driver == driver);
  }
}

TEST_CASE("every counter of a known driver has a row, whatever the device is called") {
  const std::set<std::string> odd = {"broken_odd_values"};
  for (const std::string& name : sample_tree_names()) {
    if (odd.contains(name)) continue;
    INFO(name);
    HostFixture fixture(name);
    const HostPointer host = fixture.make()->collect();
    for (const auto& entry : host->devices) {
      for (const auto& port : entry.snapshot->ports) {
        for (const auto& sample : port.counters) {
          INFO(sample.name());
          CHECK(sample.spec != nullptr);
        }
      }
      for (const auto& sample : entry.snapshot->counters) {
        INFO(sample.name());
        CHECK(sample.spec != nullptr);
      }
    }
  }
}

TEST_CASE("old and new names of one driver give equal metrics for equal values") {
  struct Metrics {
    std::map<std::string_view, double> sums;
    std::map<std::string_view, const core::CounterSample*> samples;
    HostPointer host;
  };
  const auto collect = [](const char* tree) {
    HostFixture fixture(tree);
    Metrics metrics;
    metrics.host = fixture.make()->collect();
    for (const auto& sample : port_of(*metrics.host, "bnxt_re0").counters) {
      REQUIRE(sample.spec != nullptr);
      if (sample.source != CounterSource::kPortHwCounters) continue;
      metrics.sums[sample.spec->metric->name] +=
          static_cast<double>(sample.value) * sample.spec->scale;
      metrics.samples[sample.name()] = &sample;
    }
    return metrics;
  };
  const Metrics older = collect("bnxt_re_6_12");
  const Metrics newer = collect("bnxt_re_6_18");
  // The trees differ in a few counters that both have; what those add to cannot be equal.
  std::set<std::string_view> unequal;
  for (const auto& [name, sample] : older.samples) {
    const auto other = newer.samples.find(name);
    if (other != newer.samples.end() && other->second->value != sample->value) {
      unequal.insert(sample->spec->metric->name);
    }
  }
  CHECK(unequal.size() <= 3);
  std::size_t renamed = 0;
  for (const auto& [name, sample] : older.samples) {
    const std::string_view metric = sample->spec->metric->name;
    if (!newer.sums.contains(metric) || unequal.contains(metric)) continue;
    INFO(name << " " << metric);
    CHECK(newer.sums.at(metric) == older.sums.at(metric));
    if (!newer.samples.contains(name)) ++renamed;
  }
  CHECK(renamed >= 16);
}

TEST_CASE("a host without RDMA is a normal state") {
  for (const char* name : {"no_rdma", "no_devices"}) {
    INFO(name);
    HostFixture fixture(name);
    const HostPointer host = fixture.make()->collect();
    CHECK(host->devices.empty());
    CHECK(host->issues.empty());
    CHECK(host->has_rdma_class == (std::string_view(name) == "no_devices"));
    CHECK(find_status(host->sources, core::Source::kSysfsPort)->success);
  }
}

TEST_CASE("a root that does not exist is not a host without RDMA") {
  HostFixture fixture("no_rdma");
  fixture.tree.remove("sys");
  const HostPointer host = fixture.make()->collect();
  CHECK(host->devices.empty());
  REQUIRE(host->issues.size() == 1);
  CHECK(host->issues.front().reason == core::IssueReason::kEnoent);
  CHECK_FALSE(find_status(host->sources, core::Source::kSysfsPort)->success);
}
