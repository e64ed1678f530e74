// Which device names to read. Nothing below a device that does not pass is ever opened.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "agent/host/collect_options.h"

namespace rdmadiag::host {

class DeviceFilter {
 public:
  // Patterns that are no regular expressions match nothing; check_options() finds them.
  explicit DeviceFilter(const CollectOptions& options);

  [[nodiscard]] bool passes(const std::string& device) const;

 private:
  std::vector<std::regex> include_;
  std::vector<std::regex> exclude_;
};

}  // namespace rdmadiag::host
