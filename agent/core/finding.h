// What the diagnosis says: one Finding for each problem, one Unknown for each question that could
// not be answered. Made by diagnose(); shown by every output in the same words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rdmadiag::core {

enum class FindingSeverity : std::uint8_t { kInfo, kWarning, kCritical };
[[nodiscard]] std::string_view severity_name(FindingSeverity severity);  // "info", "warning", …

// What a finding is about; empty parts do not apply.
struct Subject {
  std::string device;
  std::uint32_t port = 0;
  std::string netdev;

  // "mlx5_0 port 1 (ens5f0np0)", "mlx5_0", or "host".
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Subject&, const Subject&) = default;
};

struct Finding {
  std::string rule;  // "link-degraded": also the runbook's name
  FindingSeverity severity = FindingSeverity::kWarning;
  Subject subject;
  std::string found;      // with numbers: "width 2X, rate 100 Gb/s"
  std::string expected;   // "4X, 200 Gb/s (highest seen since start)"
  std::string meaning;    // one sentence
  std::string next_step;  // what to do now, one sentence
};

// A rule that could not be evaluated for a subject, and why: "no ethtool statistics: EOPNOTSUPP".
struct Unknown {
  std::string rule;
  Subject subject;
  std::string reason;
};

struct Diagnosis {
  std::vector<Finding> findings;  // most severe first, then by rule and subject
  std::vector<Unknown> unknown;
  bool any_device = false;
  // Devices without a port that can be seen, and ports whose state, or all of whose counters of a
  // kind, could not be read.
  std::vector<Subject> unreadable = {};

  // 0 fine, 1 warning, 2 critical, 3 could not tell (no device, or a port that is not readable).
  [[nodiscard]] int exit_code() const;
};

}  // namespace rdmadiag::core
