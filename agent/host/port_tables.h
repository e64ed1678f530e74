// A port's GID and P_Key tables from sysfs: hundreds of slots, most of them empty, so they are
// walked at refresh only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"

namespace rdmadiag::host {

// `directory` is …/ports/N. The filled slots by index; slots whose type or netdev the kernel does
// not tell keep those empty.
[[nodiscard]] std::vector<core::GidEntry> read_gids(ReadSession& session,
                                                    const std::string& directory,
                                                    core::LinkLayer link_layer, IssueLog& issues);

// Filled slots; nothing when the table cannot be read.
[[nodiscard]] std::optional<int> count_pkeys(ReadSession& session, const std::string& directory,
                                             IssueLog& issues);

}  // namespace rdmadiag::host
