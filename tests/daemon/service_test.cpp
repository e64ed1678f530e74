// The real program under a service manager played by the test.
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/daemon/daemon_process.h"
#include "tests/exporters/curl_client.h"

namespace rdmadiag::test {
namespace {

// What sd_notify sends to.
class NotifySocket {
 public:
  NotifySocket() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    REQUIRE(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  [[nodiscard]] std::string path() const { return (folder_.path() / "notify").string(); }

  // The next message that holds `part`; others are passed over. Empty after 60 s.
  std::string wait_for(const std::string& part) {
    std::array<char, 4096> message{};
    for (;;) {
      pollfd waited{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      if (poll(&waited, 1, 60'000) <= 0) return {};
      const ssize_t length = recv(socket_.get(), message.data(), message.size(), 0);
      if (length <= 0) return {};
      const std::string text(message.data(), static_cast<std::size_t>(length));
      if (text.find(part) != std::string::npos) return text;
    }
  }

 private:
  TempDir folder_;
  core::UniqueFd socket_;
};

TEST_CASE("readiness, watchdog, reload and stop are told to the service manager") {
  const SampleTree tree("no_devices");
  NotifySocket manager;
  DaemonProcess daemon(serving(tree),
                       {{"NOTIFY_SOCKET", manager.path()}, {"WATCHDOG_USEC", "200000"}});
  CHECK(manager.wait_for("READY=1").find("STATUS=serving") != std::string::npos);
  CHECK(get(daemon.url() + "/-/ready").status == 200);
  CHECK_FALSE(manager.wait_for("WATCHDOG=1").empty());
  daemon.send_signal(SIGHUP);
  CHECK(manager.wait_for("RELOADING=1").find("MONOTONIC_USEC=") != std::string::npos);
  CHECK_FALSE(manager.wait_for("READY=1").empty());
  CHECK_FALSE(manager.wait_for("WATCHDOG=1").empty());
  daemon.send_signal(SIGTERM);
  CHECK_FALSE(manager.wait_for("STOPPING=1").empty());
  CHECK(daemon.wait().exit_code == 0);
}

core::UniqueFd listening_socket(std::uint16_t& port) {
  core::UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  REQUIRE(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
  REQUIRE(listen(listener.get(), 8) == 0);
  REQUIRE(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  port = ntohs(address.sin_port);
  return listener;
}

TEST_CASE("a socket that is handed over is served instead of the default address") {
  const SampleTree tree("no_devices");
  std::uint16_t port = 0;
  const core::UniqueFd listener = listening_socket(port);
  DaemonProcess daemon({"--path.sysfs", tree.sys().string(), "--path.procfs", tree.proc().string()},
                       {}, {listener.get()});
  CHECK(daemon.url() == "http://127.0.0.1:" + std::to_string(port));
  CHECK(get(daemon.url() + "/-/healthy").status == 200);
}

TEST_CASE("a descriptor that is no listening socket is refused") {
  const SampleTree tree("no_devices");
  const core::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  DaemonProcess daemon({"--path.sysfs", tree.sys().string()}, {}, {socket.get()});
  const Finished finished = daemon.wait();
  CHECK(finished.exit_code == 1);
  CHECK(finished.err.find("inherited descriptor 3 is not a listening stream socket") !=
        std::string::npos);
}

}  // namespace
}  // namespace rdmadiag::test
