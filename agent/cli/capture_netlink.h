// RDMA netlink's answers in capture.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/host/capture.h"

namespace rdmadiag::cli {

[[nodiscard]] nlohmann::json netlink_json(const host::CapturedNetlink& netlink);

// Throws nlohmann's exceptions on anything that netlink_json() would not have written.
[[nodiscard]] host::CapturedNetlink read_netlink(const nlohmann::json& value);

}  // namespace rdmadiag::cli
