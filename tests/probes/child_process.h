// A server program that a test needs, started by it and ended with it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

class ChildProcess {
 public:
  // `arguments[0]` is the program, looked up in PATH. Output goes to `log`, or nowhere.
  explicit ChildProcess(std::vector<std::string> arguments, const std::string& log = "/dev/null");
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] bool is_running();
  void signal(int number) const;
  void end();  // SIGKILL, and waits

 private:
  pid_t pid_ = -1;
};

// A TCP and UDP port of loopback that nothing listens on just now.
[[nodiscard]] int free_port();
