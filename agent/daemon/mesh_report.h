// What the API says of the mesh, gathered from the parts of the probing. Any thread may call.
#pragma once

#include <vector>

#include "agent/core/mesh.h"
#include "agent/daemon/probing.h"
#include "probes/mesh_message.h"

namespace rdmadiag::daemon {

[[nodiscard]] core::MeshReport make_mesh_report(const Probing& probing);

// Whom each RNIC probes; of RNICs that came or went since the plan was made, nothing.
[[nodiscard]] std::vector<probes::PinglistRnic> make_pinglist_report(const Probing& probing);

// The two functions above over plain data, for tests.
[[nodiscard]] std::vector<core::MeshAgent> mesh_agents(
    const std::vector<probes::KnownAgent>& known, const std::vector<probes::AgentRecord>& records,
    const probes::AgentEndpoints& self);
[[nodiscard]] std::vector<probes::PinglistRnic> pinglist_rnics(const probes::TargetPlan& plan,
                                                               const probes::AgentEndpoints& self);

}  // namespace rdmadiag::daemon
