// What the operator says this host should have (`expect:` in the config). Empty means not said.
#pragma once

#include <optional>
#include <string>

#include "agent/core/enums.h"

namespace rdmadiag::core {

struct Expectations {
  std::optional<int> devices;                  // RDMA devices after the filters
  std::optional<double> rate_bits_per_second;  // of every port
  std::optional<LinkLayer> link_layer;         // of every port
  std::string firmware;                        // shell pattern, "28.39.*"

  bool operator==(const Expectations&) const = default;
};

}  // namespace rdmadiag::core
