// The real rdmadiag, on a terminal of its own or with its output in a pipe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/core/unique_fd.h"

namespace rdmadiag::test {

struct CliProcessOptions {
  std::map<std::string, std::string> environment;  // added to LC_ALL=C.UTF-8 and TERM=xterm
  std::uint16_t terminal_columns = 0;              // 0: no terminal
  std::string output;                              // a file for standard output; empty: watched
};

class CliProcess {
 public:
  explicit CliProcess(std::vector<std::string> arguments, const CliProcessOptions& options = {});
  ~CliProcess();
  CliProcess(const CliProcess&) = delete;
  CliProcess& operator=(const CliProcess&) = delete;

  // Waits until it has printed this; throws when it ends before, or after a minute.
  void wait_for(const std::string& part);
  void send_signal(int signal) const;
  // Waits until the program waits: then it has the eventfd that Ctrl-C ends the wait by.
  void wait_until_waiting() const;
  // Waits until it has that many threads: readers are at work.
  void wait_until_threads(std::size_t threads) const;
  // Waits for the end: the exit code, or 128 + the signal that ended it.
  int wait();
  // Standard output, and the error stream too.
  [[nodiscard]] const std::string& output() const { return text_; }

 private:
  bool read_more();
  void wait_until(const std::function<bool()>& condition) const;
  [[nodiscard]] std::filesystem::path proc(const std::string& name) const;

  pid_t pid_ = -1;
  core::UniqueFd out_;
  std::string text_;
};

}  // namespace rdmadiag::test
