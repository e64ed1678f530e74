#include "tests/probes/child_process.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "agent/core/unique_fd.h"

ChildProcess::ChildProcess(std::vector<std::string> arguments, const std::string& log) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ > 0) return;
  // Between fork and exec only what is safe beside threads.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

ChildProcess::~ChildProcess() { end(); }

bool ChildProcess::is_running() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

void ChildProcess::end() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

int free_port() {
  for (int i = 0; i < 100; ++i) {
    const rdmadiag::core::UniqueFd tcp(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const rdmadiag::core::UniqueFd udp(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(tcp.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        getsockname(tcp.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        bind(udp.get(), reinterpret_cast<sockaddr*>(&address), size) == 0) {
      return ntohs(address.sin_port);
    }
  }
  throw std::runtime_error("no free port");
}
