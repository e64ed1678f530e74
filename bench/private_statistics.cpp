// What thousands of private statistics (ethtool -S) cost a scrape: twenty netdevs that have only
// those the catalogue knows, beside twenty with 4,000 each, of which the rest is not exported.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "agent/core/agent_status.h"
#include "agent/host/private_statistics.h"
#include "exporters/prometheus.h"

namespace rdmadiag {
namespace {

constexpr const char* kDriver = "mlx5_core";
constexpr std::size_t kNics = 20;
constexpr std::size_t kMany = 4000;

// The catalogue's names, then those of ever more queues.
std::vector<std::string> make_names(std::size_t at_least) {
  std::vector<std::string> names;
  for (const core::CounterSpec& spec : core::all_counters()) {
    if (spec.source == core::CounterSource::kEthtool && spec.driver == kDriver)
      names.emplace_back(spec.name);
  }
  for (std::size_t queue = 0; names.size() < at_least; ++queue) {
    for (const char* what : {"packets", "bytes", "csum_complete", "cache_reuse", "wqe_err"})
      names.push_back("rx" + std::to_string(queue) + "_" + what);
  }
  return names;
}

// A driver whose values cost their copy and nothing else.
class Driver final : public host::EthtoolIoctl {
 public:
  explicit Driver(std::size_t at_least) : names_(make_names(at_least)), values_(names_.size(), 7) {}

  core::Result<host::NetdevDriver> driver(const std::string&) override {
    return host::NetdevDriver{kDriver, "", "", ""};
  }
  core::Result<std::vector<std::string>> statistic_names(const std::string&) override {
    return names_;
  }
  core::Result<std::size_t> statistics(const std::string&, std::size_t,
                                       std::vector<std::uint64_t>& values) override {
    values.resize(values_.size());
    std::memcpy(values.data(), values_.data(), values_.size() * sizeof(std::uint64_t));
    return values_.size();
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint64_t> values_;
};

core::HostSnapshot make_host() {
  core::HostSnapshot host;
  for (std::size_t i = 0; i < kNics; ++i) {
    auto device = std::make_shared<core::DeviceSnapshot>();
    device->name = "mlx5_" + std::to_string(i);
    device->netdevs.resize(1);
    device->netdevs[0].name = "ens" + std::to_string(i) + "np0";
    core::DeviceEntry entry;
    entry.name = device->name;
    entry.snapshot = std::move(device);
    host.devices.push_back(std::move(entry));
  }
  return host;
}

// Reads the statistics of all NICs and renders the exposition, as a scrape does. Names are learnt
// before: that is done once.
void scrape_statistics(benchmark::State& state) {
  Driver driver(static_cast<std::size_t>(state.range(0)));
  std::vector<host::PrivateStatistics> statistics(kNics);
  for (host::PrivateStatistics& of_nic : statistics) {
    core::NetdevSnapshot netdev;
    if (!of_nic.read(driver, kDriver, {}, netdev))
      return state.SkipWithError("statistics were not read");
  }
  std::string text;  // kept, so that the allocator's growing and trimming is not what is measured
  for (auto _ : state) {
    core::HostSnapshot host = make_host();
    for (std::size_t i = 0; i < kNics; ++i) {
      auto device = std::make_shared<core::DeviceSnapshot>(*host.devices[i].snapshot);
      if (!statistics[i].read(driver, kDriver, {}, device->netdevs[0]))
        return state.SkipWithError("statistics were not read");
      host.devices[i].snapshot = std::move(device);
    }
    text.clear();
    exporters::render_prometheus(host, {}, {}, text);
    benchmark::DoNotOptimize(text);
  }
  state.counters["exposition_bytes"] = static_cast<double>(text.size());
}

BENCHMARK(scrape_statistics)->Arg(0)->Arg(kMany)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rdmadiag

BENCHMARK_MAIN();
