// A program of somebody else, run beside ours to compare with.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rdmadiag::test {

class PeerProcess {
 public:
  // argv[0] is looked up in PATH. Throws std::runtime_error when it cannot be started.
  explicit PeerProcess(const std::vector<std::string>& argv);
  ~PeerProcess();  // SIGTERM, and waits
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

  // What follows `mark` on standard error, up to the next blank: waits until it was written. Throws
  // when the program ends without it.
  [[nodiscard]] std::string announced(const std::string& mark);

 private:
  pid_t pid_ = -1;
  int errors_ = -1;
};

}  // namespace rdmadiag::test
