// The issues of one device's read, and its errors since start by source and reason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/read_session.h"

namespace rdmadiag::host {

class IssueLog {
 public:
  using ReasonCounts = std::array<std::uint64_t, core::kIssueReasonCount>;

  void add_errno(core::Source source, std::string path, int error_number);
  // `content` is what could not be parsed; kept cut and escaped.
  void add_parse_error(core::Source source, std::string path, std::string_view content);
  // Whatever an outcome says: nothing for a text or an absent file.
  void add_outcome(core::Source source, const std::string& path, const ReadOutcome& outcome);
  // Counted unless the issue says that nothing was tried this time.
  void add(core::ReadIssue issue);

  // Between these, issues are of what is read at refresh only: they stay listed, though counted
  // once, until forget_standing().
  void begin_standing() { standing_now_ = true; }
  void end_standing() { standing_now_ = false; }
  void forget_standing() { standing_.clear(); }

  // The issues since the last call, and the standing ones.
  [[nodiscard]] std::vector<core::ReadIssue> take();
  [[nodiscard]] const ReasonCounts& counts(core::Source source) const {
    return counts_[static_cast<std::size_t>(source)];
  }

  // Issues past this are counted, not listed.
  static constexpr std::size_t kMaxIssues = 512;

 private:
  std::vector<core::ReadIssue> issues_;
  std::vector<core::ReadIssue> standing_;
  bool standing_now_ = false;
  std::array<ReasonCounts, core::kSourceCount> counts_{};
};

class StandingIssues {
 public:
  explicit StandingIssues(IssueLog& issues) : issues_(issues) { issues_.begin_standing(); }
  ~StandingIssues() { issues_.end_standing(); }
  StandingIssues(const StandingIssues&) = delete;
  StandingIssues& operator=(const StandingIssues&) = delete;

 private:
  IssueLog& issues_;
};

}  // namespace rdmadiag::host
