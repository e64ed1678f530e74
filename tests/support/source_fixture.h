// One device source by itself: a device, its context over a test's folder, and what was read.
#pragma once

#include <memory>
#include <string>

#include "agent/host/device_source.h"
#include "tests/support/faulting_reader.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::test {

struct SourceFixture {
  SourceFixture() {
    context.roots = {tree.sys(), tree.proc(), tree.dev()};
    context.session = std::make_shared<host::ReadSession>(
        files, clock, std::make_shared<host::DescriptorBudget>(1000));
    context.name = "mlx5_0";
    context.directory = (tree.sys() / "class/infiniband/mlx5_0").string();
    context.driver = "mlx5";
    context.ports = {1};
  }

  SampleTree tree;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::shared_ptr<FaultingReader> files = std::make_shared<FaultingReader>();
  host::DeviceContext context;
  host::IssueLog log;
  std::vector<core::ReadIssue> issues;  // of the last read
  bool success = false;                 // of the last read

  // A device of one RoCE port on eth2.
  [[nodiscard]] core::DeviceSnapshot device() const {
    core::DeviceSnapshot snapshot;
    snapshot.name = context.name;
    snapshot.driver = context.driver;
    snapshot.ports.resize(1);
    snapshot.ports[0].number = 1;
    snapshot.ports[0].link_layer = core::LinkLayer::kEthernet;
    snapshot.ports[0].netdev = "eth2";
    snapshot.netdevs.resize(1);
    snapshot.netdevs[0].name = "eth2";
    return snapshot;
  }

  core::DeviceSnapshot read(host::DeviceSource& source, core::DeviceSnapshot snapshot) {
    context.session->begin();
    success = source.read(snapshot, log);
    issues = log.take();
    return snapshot;
  }
  core::DeviceSnapshot read(host::DeviceSource& source) { return read(source, device()); }

  [[nodiscard]] std::uint64_t errors(core::Source source) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : log.counts(source)) sum += count;
    return sum;
  }
};

// One sample's value by the kernel's name; nothing when it is not there.
[[nodiscard]] inline std::optional<std::uint64_t> sample_of(
    const std::vector<core::CounterSample>& samples, std::string_view name) {
  for (const core::CounterSample& sample : samples)
    if (sample.name() == name) return sample.value;
  return std::nullopt;
}

}  // namespace rdmadiag::test
