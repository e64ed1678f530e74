#include "agent/host/netlink_issue.h"

#include <cerrno>
#include <utility>

#include "agent/core/utf8.h"

namespace rdmadiag::host {

void note_unanswered(IssueLog& issues, core::Source source, std::string question,
                     const core::Error& error, Counted counted) {
  core::ReadIssue issue;
  issue.source = source;
  issue.path = std::move(question);
  issue.error_number = error.code.value();
  issue.reason = error.code ? core::classify_errno(error.code.value()) : core::IssueReason::kParse;
  if (!error.code) issue.detail = core::to_utf8(error.what);
  issue.backing_off = counted == Counted::kNo;
  issues.add(std::move(issue));
}

bool is_refusal(const core::Error& error) {
  const int number = error.code.value();
  return number == EOPNOTSUPP || number == EPERM || number == EACCES || number == ENOENT;
}

}  // namespace rdmadiag::host
