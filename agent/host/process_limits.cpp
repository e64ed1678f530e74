#include "agent/host/process_limits.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace rdmadiag::host {

core::ProcessLimits read_process_limits() {
  core::ProcessLimits limits;
  rlimit memlock{};
  if (::getrlimit(RLIMIT_MEMLOCK, &memlock) == 0 && memlock.rlim_cur != RLIM_INFINITY) {
    limits.memlock_bytes = memlock.rlim_cur;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) == 0) {
    limits.ignores_memlock = (sets[0].effective & (1U << CAP_IPC_LOCK)) != 0;
  }
  return limits;
}

}  // namespace rdmadiag::host
