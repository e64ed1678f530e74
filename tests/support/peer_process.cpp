#include "tests/support/peer_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace rdmadiag::test {

PeerProcess::PeerProcess(const std::vector<std::string>& argv) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int failed =
      posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  errors_ = ends[0];
  if (failed != 0) {
    close(errors_);
    throw std::runtime_error("cannot run " + argv[0]);
  }
}

PeerProcess::~PeerProcess() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  close(errors_);
}

std::string PeerProcess::announced(const std::string& mark) {
  std::string text;
  std::array<char, 1024> chunk{};
  while (true) {
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) {
      const std::size_t begin = at + mark.size();
      const std::size_t end = text.find_first_of(" \n", begin);
      if (end != std::string::npos) return text.substr(begin, end - begin);
    }
    const ssize_t length = read(errors_, chunk.data(), chunk.size());
    if (length <= 0) throw std::runtime_error("ended without " + mark + ": " + text);
    text.append(chunk.data(), static_cast<std::size_t>(length));
  }
}

}  // namespace rdmadiag::test
