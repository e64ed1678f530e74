#include "tests/daemon/daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>

namespace rdmadiag::test {
namespace {

constexpr int kPatienceMilliseconds = 60'000;

std::array<core::UniqueFd, 2> make_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return {core::UniqueFd(ends[0]), core::UniqueFd(ends[1])};
}

// In the child, between fork and exec.
[[noreturn]] void become_daemon(const std::vector<std::string>& arguments,
                                const DaemonProcess::Environment& environment,
                                const std::vector<int>& inherited) {
  int next = 3;
  for (const int fd : inherited) dup2(fd, next++);  // clears close-on-exec, unless it is the same
  for (int fd = 3; fd < next; ++fd) fcntl(fd, F_SETFD, 0);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (!inherited.empty()) {
    setenv("LISTEN_FDS", std::to_string(inherited.size()).c_str(), 1);
    setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> part{};
  for (ssize_t length = 0; (length = read(fd, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(length));
  return text;
}

}  // namespace

DaemonProcess::DaemonProcess(std::vector<std::string> arguments, Environment environment,
                             std::vector<int> inherited) {
  arguments.insert(arguments.begin(), RDMADIAG_BIN_DIR "/rdmadiagd");
  auto [out_reader, out_writer] = make_pipe();
  auto [err_reader, err_writer] = make_pipe();
  pid_ = fork();
  if (pid_ == 0) {
    dup2(out_writer.get(), STDOUT_FILENO);
    dup2(err_writer.get(), STDERR_FILENO);
    become_daemon(arguments, environment, inherited);
  }
  if (pid_ < 0) throw std::runtime_error("fork failed");
  out_ = std::move(out_reader);
  err_ = std::move(err_reader);
}

DaemonProcess::~DaemonProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool DaemonProcess::read_more() {
  pollfd waited{.fd = err_.get(), .events = POLLIN, .revents = 0};
  if (poll(&waited, 1, kPatienceMilliseconds) <= 0)
    throw std::runtime_error("rdmadiagd says nothing more; it said:\n" + err_text_);
  std::array<char, 4096> part{};
  const ssize_t length = read(err_.get(), part.data(), part.size());
  if (length > 0) err_text_.append(part.data(), static_cast<std::size_t>(length));
  return length > 0;
}

std::string DaemonProcess::wait_for_line(const std::string& part) {
  for (;;) {
    const std::size_t found = err_text_.find(part);
    const std::size_t end =
        found == std::string::npos ? std::string::npos : err_text_.find('\n', found);
    if (end != std::string::npos) {
      const std::size_t begin = err_text_.rfind('\n', found);
      const std::size_t start = begin == std::string::npos ? 0 : begin + 1;
      std::string line = err_text_.substr(start, end - start);
      err_text_.erase(0, end + 1);
      return line;
    }
    if (!read_more()) throw std::runtime_error("rdmadiagd has ended; it said:\n" + err_text_);
  }
}

std::string DaemonProcess::url() {
  if (url_.empty()) {
    const std::string line = wait_for_line("msg=listening");
    const std::size_t begin = line.find("address=") + 8;
    url_ = "http://" + line.substr(begin, line.find(' ', begin) - begin);
  }
  return url_;
}

void DaemonProcess::send_signal(int signal) const { kill(pid_, signal); }

Finished DaemonProcess::wait() {
  Finished finished;
  while (read_more()) {
  }
  finished.err = err_text_;
  finished.out = read_all(out_.get());
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

std::size_t DaemonProcess::open_descriptors() const {
  const std::string folder = "/proc/" + std::to_string(pid_) + "/fd";
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

Finished run_daemon(std::vector<std::string> arguments) {
  return DaemonProcess(std::move(arguments)).wait();
}

std::vector<std::string> serving(const SampleTree& tree, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"--path.sysfs",         tree.sys().string(),
                                        "--path.procfs",        tree.proc().string(),
                                        "--web.listen-address", "127.0.0.1:0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace rdmadiag::test
