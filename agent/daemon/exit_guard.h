// Bounds how long an orderly end may take: some of what is torn down may wait for a device that
// does not answer, and the kernel closes everything as well as we do.
#pragma once

#include <chrono>
#include <thread>

namespace rdmadiag::daemon {

class ExitGuard {
 public:
  // From now on the process has this long; then it ends, with status 0, wherever it is. Destruction
  // disarms.
  void arm(std::chrono::nanoseconds within);

 private:
  std::jthread thread_;
};

}  // namespace rdmadiag::daemon
