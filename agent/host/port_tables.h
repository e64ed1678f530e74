// A port's P_Key table from sysfs: a file a slot, so it is seldom walked. GIDs: see gid_table.h.
#pragma once

#include <optional>
#include <string>

#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"

namespace rdmadiag::host {

// `directory` is …/ports/N. Filled slots; nothing when the table cannot be read.
[[nodiscard]] std::optional<int> count_pkeys(ReadSession& session, const std::string& directory,
                                             IssueLog& issues);

}  // namespace rdmadiag::host
