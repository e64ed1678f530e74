// Netlink's answers in capture.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/host/capture.h"

namespace rdmadiag::cli {

using CapturedAddresses = host::CapturedAnswer<host::AddressList>;

[[nodiscard]] nlohmann::json netlink_json(const host::CapturedNetlink& netlink);
[[nodiscard]] nlohmann::json addresses_json(const CapturedAddresses& addresses);

// These throw nlohmann's exceptions on anything that those above would not have written.
[[nodiscard]] host::CapturedNetlink read_netlink(const nlohmann::json& value);
[[nodiscard]] CapturedAddresses read_addresses(const nlohmann::json& value);

}  // namespace rdmadiag::cli
