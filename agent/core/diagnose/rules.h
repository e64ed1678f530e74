// The rules of the diagnosis. Each says what it found with numbers, what it expected, what it means
// and what to do next, or that it could not tell and why.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/core/diagnose/evidence.h"
#include "agent/core/finding.h"

namespace rdmadiag::core {

// Where a rule stands in the order of the diagnosis: counters first, then queue pairs, then
// configuration.
enum class RuleGroup : std::uint8_t {
  kLink,
  kTransport,
  kQueues,
  kLossless,
  kAddressing,
  kHost,
  kProbes,
  kInventory
};
[[nodiscard]] std::string_view group_name(RuleGroup group);  // "link"

// Collects what the rules say. Not thread-safe; lives for one diagnosis.
class Report {
 public:
  explicit Report(bool list_unknown = true) : list_unknown_(list_unknown) {}

  // Found, expected, and the severity where it differs from the rule's own.
  void add(std::string_view rule, const Subject& subject, std::string found, std::string expected);
  void add(std::string_view rule, const Subject& subject, FindingSeverity severity,
           std::string found, std::string expected);
  // What could not be told is dropped where nobody lists it: ask before a reason costs much.
  [[nodiscard]] bool lists_unknown() const { return list_unknown_; }
  void could_not_tell(std::string_view rule, const Subject& subject, std::string_view reason);

  [[nodiscard]] Diagnosis take();

 private:
  const bool list_unknown_;
  Diagnosis diagnosis_;
};

struct Rule {
  std::string_view id;  // also the name of its runbook: docs/runbooks/<id>.md
  RuleGroup group;
  FindingSeverity severity;
  std::string_view title;      // "Link is down"
  std::string_view meaning;    // one sentence
  std::string_view next_step;  // one sentence
};

// Every rule, in the order of the diagnosis.
[[nodiscard]] std::span<const Rule> all_rules();
[[nodiscard]] const Rule* find_rule(std::string_view id);

// One function a group; each may add findings of its group's rules only.
void check_link(const Comparison& seen, Report& report);
void check_wire(const Comparison& seen, Report& report);  // the rest of the link group
void check_counters(const Comparison& seen, Report& report);
void check_queues(const Comparison& seen, Report& report);
void check_lossless(const Comparison& seen, Report& report);
void check_addressing(const Comparison& seen, Report& report);
void check_addresses(const Comparison& seen, Report& report);  // the rest of that group
void check_host(const Comparison& seen, Report& report);
void check_access(const Comparison& seen, Report& report);  // the rest of the host group
void check_probes(const Comparison& seen, Report& report);
void check_inventory(const Comparison& seen, Report& report);

}  // namespace rdmadiag::core
