// The real program, started by a test and ended with it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "agent/core/unique_fd.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::test {

struct Finished {
  int exit_code = -1;  // 128 + signal when one ended it
  std::string out;
  std::string err;
};

class DaemonProcess {
 public:
  using Environment = std::map<std::string, std::string>;

  // `inherited` become descriptors 3, 4, … of the program, as a service manager hands them over.
  explicit DaemonProcess(std::vector<std::string> arguments, Environment environment = {},
                         std::vector<int> inherited = {});
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  // Waits until the program says this on stderr; throws with what it said when it ends or 60 s
  // pass.
  std::string wait_for_line(const std::string& part);
  // "http://127.0.0.1:port", as soon as it listens.
  [[nodiscard]] std::string url();
  // Waits until the first read is done as well.
  void wait_until_ready() { wait_for_line("msg=watching"); }

  void send_signal(int signal) const;
  // Waits for the end, 60 s at most.
  Finished wait();
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::size_t open_descriptors() const;

 private:
  bool read_more();

  pid_t pid_ = -1;
  core::UniqueFd out_;
  core::UniqueFd err_;
  std::string err_text_;
  std::string url_;
};

// Runs it to its end.
[[nodiscard]] Finished run_daemon(std::vector<std::string> arguments);

// --path.sysfs and --path.procfs of the tree, and a port of its own on loopback.
[[nodiscard]] std::vector<std::string> serving(const SampleTree& tree,
                                               std::vector<std::string> more = {});

}  // namespace rdmadiag::test
