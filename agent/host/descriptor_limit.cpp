#include "agent/host/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace rdmadiag::host {
namespace {

constexpr rlim_t kEnough = 65536;

}  // namespace

std::size_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<std::size_t>(std::min(limit.rlim_cur, kEnough));
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kEnough);
  if (wanted <= limit.rlim_cur) return;
  limit.rlim_cur = wanted;
  // Without it files are opened for each read: slower, nothing worse.
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace rdmadiag::host
