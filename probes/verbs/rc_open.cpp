#include "probes/verbs/rc_open.h"

#include <utility>

#include "probes/random.h"
#include "probes/verbs/netdev_address.h"
#include "probes/verbs/rc_cm.h"

namespace rdmadiag::probes {

core::Result<std::unique_ptr<RcEndpoint>> open_rc_endpoint(const Device& device,
                                                           const RcEndpointOptions& options,
                                                           const core::Clock& clock) {
  if (options.port.protocol != core::Protocol::kIwarp) {
    return RcEndpoint::create(device, options, clock);
  }
  auto connector = CmConnector::create(random_from_system(), address_of_iwarp_gid);
  if (!connector) return tl::make_unexpected(connector.error());
  return RcEndpoint::create(device, options, clock, std::move(*connector));
}

}  // namespace rdmadiag::probes
