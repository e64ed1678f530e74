#include "agent/host/capture_path.h"

#include <algorithm>
#include <vector>

namespace rdmadiag::host {

std::optional<std::string> capture_path(std::string_view path) {
  std::vector<std::string_view> kept;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (kept.size() < 2) {
      return std::nullopt;
    } else {
      kept.pop_back();
    }
  }
  if (kept.empty()) return std::nullopt;
  std::string out(kept.front());
  for (std::size_t i = 1; i < kept.size(); ++i) out.append("/").append(kept[i]);
  return out;
}

}  // namespace rdmadiag::host
