// What `rdmadiag doctor` looks at and says. Pure functions of the facts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/world.h"
#include "agent/core/snapshot.h"
#include "agent/host/readiness.h"

namespace rdmadiag::cli {

enum class Outcome : std::uint8_t { kGood, kWarning, kCritical, kUnknown };
[[nodiscard]] std::string_view outcome_name(Outcome outcome);  // "good", "warning", …

struct Check {
  std::string name;  // "uverbs mlx5_0"
  Outcome outcome = Outcome::kGood;
  std::string found;
  std::string mend;  // the command that mends it; empty when there is nothing to mend
};

struct DoctorFacts {
  host::Readiness readiness;
  std::optional<ProcessLimits> limits;  // empty: of another host
  std::optional<bool> netns_shared;     // empty: not told
  // What could not be read of each device.
  std::map<std::string, std::vector<core::ReadIssue>> issues;
  std::vector<std::string> stuck;  // devices that do not answer
};

[[nodiscard]] std::vector<Check> run_checks(const DoctorFacts& facts);

// The worst of them as an exit code.
[[nodiscard]] int exit_code(const std::vector<Check>& checks);

}  // namespace rdmadiag::cli
