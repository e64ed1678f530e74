#include "agent/host/pci_acs.h"

#include <linux/pci_regs.h>

#include <cstdint>

namespace rdmadiag::host {
namespace {

constexpr std::size_t kExtendedStart = 0x100;
constexpr std::size_t kWhole = 4096;

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

}  // namespace

std::optional<bool> acs_redirects(std::string_view config) {
  if (config.size() < kWhole) return std::nullopt;
  std::size_t at = kExtendedStart;
  // A chain that runs in a circle ends as well.
  for (std::size_t seen = 0; at >= kExtendedStart && at + 8 <= kWhole && seen < kWhole / 8;
       ++seen) {
    const std::uint32_t header = little_endian(config, at, 4);
    if (PCI_EXT_CAP_ID(header) == PCI_EXT_CAP_ID_ACS) {
      const std::uint32_t control = little_endian(config, at + PCI_ACS_CTRL, 2);
      return (control & (PCI_ACS_RR | PCI_ACS_CR)) != 0;
    }
    at = PCI_EXT_CAP_NEXT(header);
  }
  return false;
}

}  // namespace rdmadiag::host
