#include "agent/host/unsafe_reads.h"

namespace rdmadiag::host {
namespace {

// BCM575xx and later; 57414 and the like have lower ids, Stingray (d802, d804) is older as well.
bool is_bnxt_p5_or_later(std::optional<std::uint32_t> pci_device) {
  return pci_device && *pci_device >= 0x1750 && *pci_device < 0x2000;
}

}  // namespace

std::string_view unsafe_hw_counters(std::string_view driver, std::optional<KernelRelease> kernel,
                                    std::optional<std::uint32_t> pci_device) {
  constexpr KernelRelease kFirstBad{{6, 18, 0}};
  constexpr KernelRelease kFirstGood{{6, 18, 4}};
  if (driver == "bnxt_re" && kernel && *kernel >= kFirstBad && *kernel < kFirstGood &&
      !is_bnxt_p5_or_later(pci_device)) {
    return "not read: would write past a kernel array before 6.18.4 (CVE-2025-71092)";
  }
  return {};
}

}  // namespace rdmadiag::host
