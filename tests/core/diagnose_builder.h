// Snapshots for the tests of the diagnosis: one healthy RoCE device that a test then breaks.
#pragma once

#include <memory>
#include <string_view>

#include "agent/core/diagnose/diagnose.h"

namespace rdmadiag::core {

// Two looks at one host, ten seconds apart, with one device of one port in both.
struct TwoLooks {
  TwoLooks();

  DeviceSnapshot before;
  DeviceSnapshot now;
  HostSnapshot host_before;
  HostSnapshot host_now;
  Expectations expect;
  RateHistory highest_rates;

  PortSnapshot& port_before() { return before.ports.front(); }
  PortSnapshot& port_now() { return now.ports.front(); }

  // Sets the counter behind `metric` at both looks. Fails the test for a metric no driver has.
  void count(std::string_view metric, std::uint64_t at_first, std::uint64_t at_second);

  [[nodiscard]] Diagnosis diagnose();           // with both looks
  [[nodiscard]] Diagnosis diagnose_one_look();  // with the second only
};

[[nodiscard]] const Finding* find(const Diagnosis& diagnosis, std::string_view rule);
[[nodiscard]] const Unknown* find_unknown(const Diagnosis& diagnosis, std::string_view rule);

}  // namespace rdmadiag::core
