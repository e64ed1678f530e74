#include "agent/host/issue_log.h"

#include <utility>

#include "agent/core/utf8.h"

namespace rdmadiag::host {
namespace {

// Printable, at most 40 bytes of the original: enough to see what a file held.
std::string excerpt(std::string_view content) {
  constexpr std::size_t kMaxBytes = 40;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : content.substr(0, kMaxBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      text += "\\n";
    } else if (byte < 0x20 || byte > 0x7e) {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 0xf];
    } else {
      text += c;
    }
  }
  if (content.size() > kMaxBytes) text += "...";
  return text;
}

}  // namespace

void IssueLog::add_errno(core::Source source, std::string path, int error_number) {
  add({.source = source,
       .path = std::move(path),
       .reason = core::classify_errno(error_number),
       .error_number = error_number,
       .detail = {}});
}

void IssueLog::add_parse_error(core::Source source, std::string path, std::string_view content) {
  add({.source = source,
       .path = std::move(path),
       .reason = core::IssueReason::kParse,
       .detail = excerpt(content)});
}

void IssueLog::add_outcome(core::Source source, const std::string& path,
                           const ReadOutcome& outcome) {
  if (outcome.ok() || outcome.kind == ReadOutcome::Kind::kAbsent) return;
  add({.source = source,
       .path = path,
       .reason = outcome.reason,
       .error_number = outcome.error_number,
       .detail = excerpt(outcome.text),
       .backing_off = outcome.kind == ReadOutcome::Kind::kBackingOff});
}

void IssueLog::add(core::ReadIssue issue) {
  if (!issue.backing_off) {
    ++counts_[static_cast<std::size_t>(issue.source)][static_cast<std::size_t>(issue.reason)];
  }
  std::vector<core::ReadIssue>& list = standing_now_ ? standing_ : issues_;
  if (list.size() == kMaxIssues) return;
  issue.path = core::to_utf8(issue.path);
  list.push_back(std::move(issue));
}

std::vector<core::ReadIssue> IssueLog::take() {
  std::vector<core::ReadIssue> issues = std::exchange(issues_, {});
  issues.insert(issues.end(), standing_.begin(), standing_.end());
  return issues;
}

}  // namespace rdmadiag::host
