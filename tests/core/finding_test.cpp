#include "agent/core/finding.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;

namespace {

Diagnosis with(FindingSeverity severity) {
  Diagnosis diagnosis;
  diagnosis.any_device = true;
  Finding finding;
  finding.severity = severity;
  diagnosis.findings.push_back(finding);
  return diagnosis;
}

}  // namespace

TEST_CASE("the exit code is that of the worst finding") {
  CHECK(with(FindingSeverity::kInfo).exit_code() == 0);
  CHECK(with(FindingSeverity::kWarning).exit_code() == 1);
  CHECK(with(FindingSeverity::kCritical).exit_code() == 2);

  Diagnosis mixed = with(FindingSeverity::kWarning);
  mixed.findings.push_back(with(FindingSeverity::kCritical).findings.front());
  CHECK(mixed.exit_code() == 2);
}

TEST_CASE("a host without any device could not be judged") { CHECK(Diagnosis{}.exit_code() == 3); }

TEST_CASE("a subject says no more than it knows") {
  CHECK(Subject{}.text() == "host");
  CHECK(Subject{.device = "mlx5_0", .port = 0, .netdev = ""}.text() == "mlx5_0");
  CHECK(Subject{.device = "mlx5_0", .port = 1, .netdev = ""}.text() == "mlx5_0 port 1");
  CHECK(Subject{.device = "mlx5_0", .port = 1, .netdev = "eth2"}.text() == "mlx5_0 port 1 (eth2)");
  CHECK(Subject{.device = "", .port = 0, .netdev = "bond0"}.text() == "bond0");
}
