#include "agent/host/driver_names.h"

#include <algorithm>
#include <array>

namespace rdmadiag::host {
namespace {

struct Module {
  std::string_view module;
  std::string_view driver;
};

constexpr std::array kModules = {
    Module{"mlx5_core", "mlx5"},     Module{"mlx5_ib", "mlx5"},       Module{"mlx4_core", "mlx4"},
    Module{"mlx4_ib", "mlx4"},       Module{"ib_mthca", "mthca"},     Module{"bnxt_en", "bnxt_re"},
    Module{"ice", "irdma"},          Module{"i40e", "irdma"},         Module{"idpf", "irdma"},
    Module{"i40iw", "irdma"},        Module{"mana_ib", "mana"},       Module{"ib_qib", "qib"},
    Module{"qede", "qedr"},          Module{"qed", "qedr"},           Module{"be2net", "ocrdma"},
    Module{"iw_cxgb4", "cxgb4"},     Module{"hns3", "hns"},           Module{"hns_roce", "hns"},
    Module{"hns_roce_hw_v2", "hns"}, Module{"hns-roce-hw-v2", "hns"}, Module{"ionic_rdma", "ionic"},
    Module{"enic", "usnic"},         Module{"usnic_verbs", "usnic"},  Module{"rdma_rxe", "rxe"},
};

struct PciIds {
  std::uint32_t vendor;
  std::uint32_t first;
  std::uint32_t last;
  std::string_view driver;
};

// First match wins: narrow ranges stand before the rest of a vendor.
constexpr std::array kPciIds = {
    PciIds{0x15b3, 0x1000, 0x1010, "mlx4"},       PciIds{0x15b3, 0x6340, 0x67ff, "mlx4"},
    PciIds{0x15b3, 0x1011, 0x1fff, "mlx5"},       PciIds{0x15b3, 0xa2d0, 0xa2ff, "mlx5"},
    PciIds{0x15b3, 0x5a44, 0x6282, "mthca"},      PciIds{0x14e4, 0x0000, 0xffff, "bnxt_re"},
    PciIds{0x8086, 0x24f0, 0x24f1, "hfi1"},       PciIds{0x8086, 0x0000, 0xffff, "irdma"},
    PciIds{0x1d0f, 0xefa0, 0xefaf, "efa"},        PciIds{0x1ded, 0x0000, 0xffff, "erdma"},
    PciIds{0x1414, 0x0000, 0xffff, "mana"},       PciIds{0x1dd8, 0x0000, 0xffff, "ionic"},
    PciIds{0x1425, 0x0000, 0xffff, "cxgb4"},      PciIds{0x19e5, 0x0000, 0xffff, "hns"},
    PciIds{0x1077, 0x7220, 0x7322, "qib"},        PciIds{0x1fc1, 0x0000, 0xffff, "qib"},
    PciIds{0x1077, 0x1600, 0x16ff, "qedr"},       PciIds{0x1077, 0x8070, 0x80ff, "qedr"},
    PciIds{0x10df, 0x0000, 0xffff, "ocrdma"},     PciIds{0x1137, 0x0000, 0xffff, "usnic"},
    PciIds{0x15ad, 0x0820, 0x0820, "vmw_pvrdma"},
};

}  // namespace

std::string driver_of_module(std::string_view module) {
  const auto found = std::find_if(kModules.begin(), kModules.end(),
                                  [&](const Module& m) { return m.module == module; });
  return std::string(found == kModules.end() ? module : found->driver);
}

std::string_view driver_of_pci_id(std::uint32_t vendor, std::uint32_t device) {
  const auto found = std::find_if(kPciIds.begin(), kPciIds.end(), [&](const PciIds& ids) {
    return ids.vendor == vendor && device >= ids.first && device <= ids.last;
  });
  return found == kPciIds.end() ? std::string_view() : found->driver;
}

}  // namespace rdmadiag::host
