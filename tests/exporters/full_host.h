// A snapshot in which every field of the model has a value, also what no sample tree can show.
#pragma once

#include "agent/core/agent_status.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::test {

[[nodiscard]] core::HostSnapshot full_host();
[[nodiscard]] core::AgentStatus full_agent();

}  // namespace rdmadiag::test
