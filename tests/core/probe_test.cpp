#include "agent/core/probe.h"

#include <catch2/catch.hpp>
#include <set>

using namespace rdmadiag::core;

TEST_CASE("every probe word is its own") {
  std::set<std::string_view> outcomes;
  for (std::size_t i = 0; i < kProbeOutcomeCount; ++i) {
    outcomes.insert(probe_outcome_name(static_cast<ProbeOutcome>(i)));
  }
  CHECK(outcomes.size() == kProbeOutcomeCount);
  for (std::size_t i = 0; i < kProbeScopeCount; ++i) {
    const auto scope = static_cast<ProbeScope>(i);
    CHECK(parse_probe_scope(probe_scope_name(scope)) == scope);
  }
  CHECK_FALSE(parse_probe_scope("spine"));
  CHECK(loss_cause_name(LossCause::kHost) == "host");
  CHECK(probe_outcome_name(static_cast<ProbeOutcome>(200)) == "unknown");
}

TEST_CASE("a histogram counts each value once, bounds inclusive as Prometheus wants") {
  ProbeHistogram histogram(kDelayBounds);
  histogram.observe(100e-6);
  histogram.observe(101e-6);
  histogram.observe(0);
  histogram.observe(10);
  CHECK(histogram.counts()[0] == 2);
  CHECK(histogram.counts()[1] == 1);
  CHECK(histogram.counts()[2] == 1);
  CHECK(histogram.count() == 4);
  CHECK(histogram.sum() == Approx(10.000201));
}
