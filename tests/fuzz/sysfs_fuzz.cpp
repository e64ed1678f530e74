// The sysfs parsers over arbitrary bytes: none may crash, and what they accept must make sense.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/core/utf8.h"
#include "agent/host/issue_log.h"
#include "agent/host/sysfs_parse.h"

using namespace rdmadiag;
using namespace rdmadiag::host;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_numbers(std::string_view text) {
  if (const auto value = parse_counter(text)) {
    require(parse_counter(std::to_string(*value)) == value);
    require(trim(text).find_first_not_of("0123456789") == std::string_view::npos);
  }
  if (const auto value = parse_integer(text))
    require(parse_integer(std::to_string(*value)) == value);
  (void)parse_hex_u32(text);
  if (const auto state = parse_numbered_state(text)) require(*state >= 0 && *state <= 0xffff);
  if (const auto guid = parse_guid(text)) require(parse_guid(format_guid(*guid)) == guid);
}

void check_links(std::string_view text) {
  if (const auto rate = parse_rate(text)) {
    require(rate->bits_per_second >= 0 && rate->bits_per_second <= 1e21);
    require(!rate->width_lanes || (*rate->width_lanes > 0 && *rate->width_lanes <= 64));
    require(rate->speed_name.size() <= 16);
  }
  if (const auto speed = parse_link_speed(text)) require(*speed > 0);
  if (const auto width = parse_link_width(text)) require(*width > 0 && *width <= 64);
  (void)parse_gid_type(text, core::LinkLayer::kEthernet);
  (void)parse_aer_total(text);
  (void)is_pci_address(text);
  require(parse_uevent_driver(text).size() <= text.size());
  if (const auto release = parse_kernel_release(text)) {
    for (const int part : release->parts) require(part >= 0);
  }
}

void check_text(std::string_view text) {
  require(core::is_utf8(core::to_utf8(text)));
  IssueLog issues;
  issues.add_parse_error(core::Source::kSysfsPort, std::string(text), text);
  const auto taken = issues.take();
  require(taken.size() == 1 && core::is_utf8(taken.front().path));
  require(core::is_utf8(taken.front().detail) && taken.front().detail.size() <= 4 * 40 + 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_numbers(text);
  check_links(text);
  check_text(text);
  return 0;
}
