// An RcEndpoint with the connector that the port's protocol needs.
#pragma once

#include <memory>

#include "probes/verbs/rc_endpoint.h"

namespace rdmadiag::probes {

// As RcEndpoint::create; on iWARP with rdma_cm.
[[nodiscard]] core::Result<std::unique_ptr<RcEndpoint>> open_rc_endpoint(
    const Device& device, const RcEndpointOptions& options, const core::Clock& clock);

}  // namespace rdmadiag::probes
