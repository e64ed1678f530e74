#include "agent/core/snapshot.h"

#include <catch2/catch.hpp>
#include <cerrno>

using namespace rdmadiag::core;

TEST_CASE("every source and reason has a name of its own") {
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    const auto source = static_cast<Source>(i);
    CHECK(parse_source(source_name(source)) == source);
  }
  CHECK_FALSE(parse_source("sysfs"));
  CHECK(reason_name(IssueReason::kEinval) == "einval");
  CHECK(reason_name(IssueReason::kOther) == "other");
}

TEST_CASE("errno values fall into their classes") {
  CHECK(classify_errno(ENOENT) == IssueReason::kEnoent);
  CHECK(classify_errno(EACCES) == IssueReason::kEperm);
  CHECK(classify_errno(EPERM) == IssueReason::kEperm);
  CHECK(classify_errno(ENXIO) == IssueReason::kEnodev);
  CHECK(classify_errno(EAGAIN) == IssueReason::kOther);
}

TEST_CASE("a fixed-width field at its maximum is saturated") {
  const CounterSpec narrow{.source = CounterSource::kPortCounters,
                           .driver = "",
                           .name = "local_link_integrity_errors",
                           .unit = "events",
                           .scale = 1,
                           .width_bits = 4,
                           .metric = nullptr,
                           .counter_class = "other",
                           .severity = Severity::kCritical,
                           .meaning = ""};
  CounterSample sample;
  sample.spec = &narrow;
  sample.value = 14;
  CHECK_FALSE(sample.saturated());
  sample.value = 15;
  CHECK(sample.saturated());

  CounterSample unknown;
  unknown.unknown_name = "x";
  unknown.value = 15;
  CHECK_FALSE(unknown.saturated());
  CHECK(unknown.name() == "x");
}
