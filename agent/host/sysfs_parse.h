// What the kernel's files say, as pure functions of their bytes. Each accepts a final newline and
// spaces around the value; anything else that is not the expected form gives nothing.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/enums.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::host {

[[nodiscard]] std::string_view trim(std::string_view text);

// Decimal digits alone, at most 2^64 − 1. "N/A (no PMA)", "-1", "0x10" and "" are not counters.
[[nodiscard]] std::optional<std::uint64_t> parse_counter(std::string_view text);
// Decimal with an optional minus sign.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
// "0x1a"; the prefix is required.
[[nodiscard]] std::optional<std::uint32_t> parse_hex_u32(std::string_view text);

// "4: ACTIVE" → 4. The word is not looked at: kernels differ in it.
[[nodiscard]] std::optional<int> parse_numbered_state(std::string_view text);
// "100 Gb/sec (4X EDR)", "2.5 Gb/sec (1X SDR)", "10 Gb/sec (4X)", "0 GB/sec": the number must be
// there; unit case, width and speed name are taken as they come.
[[nodiscard]] std::optional<core::PortRate> parse_rate(std::string_view text);

// "0c42:a103:0065:1d7e", most significant first.
[[nodiscard]] std::optional<std::uint64_t> parse_guid(std::string_view text);
[[nodiscard]] std::string format_guid(std::uint64_t guid);
// "RoCE v2"; "IB/RoCE v1" is one or the other by the link layer.
[[nodiscard]] core::GidType parse_gid_type(std::string_view text, core::LinkLayer link_layer);

// "32.0 GT/s PCIe" → 32e9 transfers a second; nothing for "Unknown" and 0.
[[nodiscard]] std::optional<double> parse_link_speed(std::string_view text);
// "16"; nothing for 0 and 255, which the kernel prints when it does not know.
[[nodiscard]] std::optional<int> parse_link_width(std::string_view text);
// Lines of `NAME N`: the TOTAL_ERR_* one, else the sum of all; nothing when a line is no such pair.
[[nodiscard]] std::optional<std::uint64_t> parse_aer_total(std::string_view text);
// The domain:bus:device.function form, "0000:3b:00.0".
[[nodiscard]] bool is_pci_address(std::string_view text);
// The value of DRIVER= in a uevent file; empty when there is none.
[[nodiscard]] std::string_view parse_uevent_driver(std::string_view text);

// "6.12.9-amd64" → {6, 12, 9}; missing parts are 0.
struct KernelRelease {
  std::array<int, 3> parts{};
  auto operator<=>(const KernelRelease&) const = default;
};
[[nodiscard]] std::optional<KernelRelease> parse_kernel_release(std::string_view text);

}  // namespace rdmadiag::host
