#include "agent/host/counter_source.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/host/counter_directory.h"
#include "agent/host/unsafe_reads.h"

namespace rdmadiag::host {
namespace {

using core::CounterSource;
using core::Source;

CounterDirectory directory_of(const DeviceContext& context, const std::string& path,
                              CounterSource counters, Source source) {
  return {*context.session, context.directory + "/" + path, counters, source, context.driver};
}

std::string port_path(std::uint32_t port, std::string_view name) {
  return "ports/" + std::to_string(port) + "/" + std::string(name);
}

// Old kernels show the 64-bit counters beside their 32-bit forms: one metric must not add both up.
void drop_narrow_forms(std::vector<core::CounterSample>& samples, std::size_t first_wide) {
  const auto wide = samples.begin() + static_cast<std::ptrdiff_t>(first_wide);
  const auto kept = std::remove_if(samples.begin(), wide, [&](const core::CounterSample& narrow) {
    return narrow.spec != nullptr && std::any_of(wide, samples.end(), [&](const auto& sample) {
             return sample.spec != nullptr && sample.spec->metric == narrow.spec->metric;
           });
  });
  samples.erase(kept, wide);
}

class PortCounterSource final : public DeviceSource {
 public:
  explicit PortCounterSource(const DeviceContext& context) : session_(context.session) {
    for (const std::uint32_t port : context.ports) {
      for (const char* name : {"counters", "counters_ext"}) {
        directories_.push_back(directory_of(context, port_path(port, name),
                                            CounterSource::kPortCounters, Source::kSysfsCounters));
      }
    }
  }

  [[nodiscard]] Source source() const override { return Source::kSysfsCounters; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    bool success = true;
    for (std::size_t i = 0; i < device.ports.size(); ++i) {
      std::vector<core::CounterSample>& samples = device.ports[i].counters;
      success &= directories_[2 * i].read(samples, issues);
      const std::size_t first_wide = samples.size();
      success &= directories_[2 * i + 1].read(samples, issues);
      if (samples.size() > first_wide) drop_narrow_forms(samples, first_wide);
    }
    return success;
  }

  void refresh() override {
    for (CounterDirectory& directory : directories_) directory.refresh();
  }

 private:
  std::shared_ptr<ReadSession> session_;
  std::vector<CounterDirectory> directories_;  // two a port
};

class HwCounterSource final : public DeviceSource {
 public:
  explicit HwCounterSource(const DeviceContext& context)
      : session_(context.session),
        of_device_(directory_of(context, "hw_counters", CounterSource::kDeviceHwCounters,
                                Source::kSysfsHwCounters)) {
    for (const std::uint32_t port : context.ports) {
      for (const char* name : {"hw_counters", "diag_counters"}) {
        of_ports_.push_back(directory_of(context, port_path(port, name),
                                         CounterSource::kPortHwCounters, Source::kSysfsHwCounters));
      }
    }
  }

  [[nodiscard]] Source source() const override { return Source::kSysfsHwCounters; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    bool success = of_device_.read(device.counters, issues);
    for (std::size_t i = 0; i < device.ports.size(); ++i) {
      core::PortSnapshot& port = device.ports[i];
      if (came_by_netlink(port)) {
        of_ports_[2 * i].prepare(issues);
      } else {
        success &= of_ports_[2 * i].read(port.counters, issues);
      }
      success &= of_ports_[2 * i + 1].read(port.counters, issues);
      port.lifespan_milliseconds = of_ports_[2 * i].lifespan_milliseconds();
    }
    return success;
  }

  void refresh() override {
    of_device_.refresh();
    for (CounterDirectory& directory : of_ports_) directory.refresh();
  }

 private:
  static bool came_by_netlink(const core::PortSnapshot& port) {
    return std::any_of(port.counters.begin(), port.counters.end(), [](const auto& sample) {
      return sample.source == CounterSource::kPortHwCounters;
    });
  }

  std::shared_ptr<ReadSession> session_;
  CounterDirectory of_device_;
  std::vector<CounterDirectory> of_ports_;  // two a port: hw_counters, diag_counters
};

// Stands where reading would damage the kernel: the values are absent, and the reason is told.
class RefusedHwCounters final : public DeviceSource {
 public:
  RefusedHwCounters(const DeviceContext& context, std::string_view danger)
      : directory_(context.directory), danger_(danger) {}

  [[nodiscard]] Source source() const override { return Source::kSysfsHwCounters; }

  bool read(core::DeviceSnapshot& /*device*/, IssueLog& issues) override {
    issues.add({.source = Source::kSysfsHwCounters,
                .path = directory_ + "/ports/*/hw_counters",
                .detail = danger_,
                .backing_off = true});
    return false;
  }

 private:
  std::string directory_;
  std::string danger_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_port_counter_source(const DeviceContext& context) {
  return std::make_unique<PortCounterSource>(context);
}

std::unique_ptr<DeviceSource> make_hw_counter_source(const DeviceContext& context) {
  if (!reads_hw_counters(context)) return nullptr;
  const std::string_view danger =
      unsafe_hw_counters(context.driver, context.kernel, context.pci_device_id);
  if (!danger.empty()) return std::make_unique<RefusedHwCounters>(context, danger);
  return std::make_unique<HwCounterSource>(context);
}

}  // namespace rdmadiag::host
