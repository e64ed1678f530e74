// Access Control Services of a PCIe bridge, from its configuration space. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace rdmadiag::host {

// Whether the bridge sends transfers between devices below it up to the root (P2P request or
// completion redirect). False also for a bridge without the capability. Empty when `config` is not
// the whole extended space: without CAP_SYS_ADMIN the kernel gives 64 bytes.
[[nodiscard]] std::optional<bool> acs_redirects(std::string_view config);

}  // namespace rdmadiag::host
