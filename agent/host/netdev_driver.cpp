#include "agent/host/netdev_driver.h"

#include <array>
#include <string_view>
#include <utility>

namespace rdmadiag::host {

std::string netdev_driver(const core::DeviceSnapshot& device, const core::NetdevSnapshot& netdev) {
  if (netdev.ethtool && !netdev.ethtool->driver.empty()) return netdev.ethtool->driver;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNetdevDrivers = {
      {{"mlx5", "mlx5_core"},
       {"mlx4", "mlx4_en"},
       {"bnxt_re", "bnxt_en"},
       {"irdma", "ice"},
       {"hns", "hns3"},
       {"qedr", "qede"},
       {"cxgb4", "cxgb4"},
       {"mana", "mana"},
       {"ionic", "ionic"}}};
  for (const auto& [rdma, ethernet] : kNetdevDrivers)
    if (device.driver == rdma) return std::string(ethernet);
  return {};
}

}  // namespace rdmadiag::host
