// A collector over a test's folder, and short ways to look into what it collects.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/host/collect.h"
#include "tests/support/faulting_reader.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::test {

struct HostFixture {
  explicit HostFixture(std::string_view case_name) : HostFixture() { tree.overlay(case_name); }
  // Nothing hangs but what a test makes hang: a busy machine must not look like a stuck device.
  HostFixture() { options.deadline = std::chrono::minutes(1); }

  SampleTree tree;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::shared_ptr<FaultingReader> files = std::make_shared<FaultingReader>();
  std::shared_ptr<host::NetlinkSource> netlink;
  host::CollectOptions options;

  [[nodiscard]] std::unique_ptr<host::Collector> make() const {
    host::CollectorParts parts;
    parts.clock = clock;
    parts.files = files;
    parts.netlink = netlink;
    return std::make_unique<host::Collector>(host::Roots{tree.sys(), tree.proc(), tree.dev()},
                                             options, parts);
  }
  // Past min_interval, so that the next collect() reads.
  void pass(std::chrono::nanoseconds by = std::chrono::seconds(2)) const { clock->advance(by); }
};

using HostPointer = std::shared_ptr<const core::HostSnapshot>;

// Null when there is none.
[[nodiscard]] const core::DeviceEntry* find_entry(const core::HostSnapshot& host,
                                                  std::string_view device);
// Throws std::out_of_range when the device, or its snapshot, is missing.
[[nodiscard]] const core::DeviceSnapshot& device_of(const core::HostSnapshot& host,
                                                    std::string_view device);
[[nodiscard]] const core::PortSnapshot& port_of(const core::HostSnapshot& host,
                                                std::string_view device, std::uint32_t port = 1);
[[nodiscard]] std::optional<std::uint64_t> value_of(const std::vector<core::CounterSample>& samples,
                                                    std::string_view name);
// Sum over the samples of one metric, in the metric's unit.
[[nodiscard]] std::optional<double> metric_of(const std::vector<core::CounterSample>& samples,
                                              std::string_view metric);
[[nodiscard]] const core::ReadIssue* find_issue(const std::vector<core::ReadIssue>& issues,
                                                std::string_view path_end);
[[nodiscard]] const core::SourceStatus* find_status(const std::vector<core::SourceStatus>& statuses,
                                                    core::Source source);
[[nodiscard]] std::uint64_t errors_of(const core::DeviceEntry& entry, core::Source source,
                                      core::IssueReason reason);

}  // namespace rdmadiag::test
