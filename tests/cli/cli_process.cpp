#include "tests/cli/cli_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace rdmadiag::test {
namespace {

constexpr int kPatienceMilliseconds = 60'000;

[[noreturn]] void become_cli(const std::vector<std::string>& arguments,
                             const CliProcessOptions& options) {
  clearenv();
  setenv("LC_ALL", "C.UTF-8", 1);
  setenv("TERM", "xterm", 1);
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  if (!options.output.empty()) {
    const int file = open(options.output.c_str(), O_WRONLY);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0) _exit(126);
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

CliProcess::CliProcess(std::vector<std::string> arguments, const CliProcessOptions& options) {
  arguments.insert(arguments.begin(), RDMADIAG_BIN_DIR "/rdmadiag");
  if (options.terminal_columns > 0) {
    winsize size{};
    size.ws_col = options.terminal_columns;
    size.ws_row = 50;
    int terminal = -1;
    pid_ = forkpty(&terminal, nullptr, nullptr, &size);
    if (pid_ == 0) become_cli(arguments, options);
    if (pid_ > 0) out_ = core::UniqueFd(terminal);
  } else {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    out_ = core::UniqueFd(ends[0]);
    const core::UniqueFd writer(ends[1]);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(writer.get(), STDOUT_FILENO);
      dup2(writer.get(), STDERR_FILENO);
      become_cli(arguments, options);
    }
  }
  if (pid_ < 0) throw std::runtime_error("fork failed");
}

CliProcess::~CliProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool CliProcess::read_more() {
  pollfd waited{.fd = out_.get(), .events = POLLIN, .revents = 0};
  if (poll(&waited, 1, kPatienceMilliseconds) <= 0) {
    throw std::runtime_error("rdmadiag says nothing more; it said:\n" + text_);
  }
  std::array<char, 65536> part{};
  // A terminal whose other end is closed answers EIO: the end, too.
  const ssize_t length = read(out_.get(), part.data(), part.size());
  if (length > 0) text_.append(part.data(), static_cast<std::size_t>(length));
  return length > 0;
}

void CliProcess::wait_for(const std::string& part) {
  while (text_.find(part) == std::string::npos) {
    if (!read_more()) throw std::runtime_error("rdmadiag has ended; it said:\n" + text_);
  }
}

void CliProcess::send_signal(int signal) const { kill(pid_, signal); }

void CliProcess::wait_until_waiting() const {
  wait_until([&] {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(proc("fd"), ignored)) {
      const auto target = std::filesystem::read_symlink(entry.path(), ignored).string();
      if (target.find("eventfd") != std::string::npos) return true;
    }
    return false;
  });
}

void CliProcess::wait_until_threads(std::size_t threads) const {
  wait_until([&] {
    std::error_code ignored;
    const std::filesystem::directory_iterator tasks(proc("task"), ignored);
    return static_cast<std::size_t>(std::distance(tasks, {})) >= threads;
  });
}

void CliProcess::wait_until(const std::function<bool()>& condition) const {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("it never happens");
    std::this_thread::yield();
  }
}

std::filesystem::path CliProcess::proc(const std::string& name) const {
  return "/proc/" + std::to_string(pid_) + "/" + name;
}

int CliProcess::wait() {
  while (read_more()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace rdmadiag::test
