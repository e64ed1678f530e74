#include "agent/host/port_tables.h"

#include "agent/host/gid_table.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {

using core::Source;

std::optional<int> count_pkeys(ReadSession& session, const std::string& directory,
                               IssueLog& issues) {
  int filled = 0;
  int errors = 0;
  bool any_read = false;
  for (const int slot : list_slots(session, directory + "/pkeys", issues)) {
    const std::string path = directory + "/pkeys/" + std::to_string(slot);
    const ReadOutcome outcome = session.read_once(path);
    const auto pkey = outcome.ok() ? parse_hex_u32(outcome.text) : std::nullopt;
    if (pkey) {
      any_read = true;
      if (*pkey != 0) ++filled;
      continue;
    }
    if (outcome.ok()) {
      issues.add_parse_error(Source::kSysfsPort, path, outcome.text);
    } else {
      note_unless_empty(outcome, path, issues);
    }
    if (++errors == kMaxSlotErrors) break;
  }
  if (!any_read) return std::nullopt;
  return filled;
}

}  // namespace rdmadiag::host
