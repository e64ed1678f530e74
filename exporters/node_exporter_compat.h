// node_exporter's infiniband collector, name for name, as of version 1.5: lets existing dashboards
// and rules work during a migration. Metrics of our own say more; docs/metrics.md says where the
// values differ from a real node_exporter's (it shows nothing at all when one file is odd).
#pragma once

#include "exporters/families.h"

namespace rdmadiag::exporters {

void write_node_exporter_families(const HostView& view, Exposition& out);

}  // namespace rdmadiag::exporters
