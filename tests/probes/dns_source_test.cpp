// Against a real name server: dnsmasq on loopback.
#include "probes/discovery/dns_source.h"

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/exporters/temp_folder.h"
#include "tests/probes/child_process.h"
#include "tests/probes/published.h"

using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

struct NameServer {
  TempFolder folder;
  int port = free_port();
  std::unique_ptr<ChildProcess> process;

  explicit NameServer(std::vector<std::string> records) {
    // Its own user may not read what the test's user made.
    std::vector<std::string> arguments = {"dnsmasq",
                                          "--keep-in-foreground",
                                          "--conf-file=/dev/null",
                                          "--user=root",
                                          "--pid-file=",
                                          "--no-resolv",
                                          "--no-hosts",
                                          "--no-daemon",
                                          "--bind-interfaces",
                                          "--listen-address=127.0.0.1",
                                          "--local=/example/",
                                          "--local-ttl=60",
                                          "--port=" + std::to_string(port)};
    arguments.insert(arguments.end(), records.begin(), records.end());
    process = std::make_unique<ChildProcess>(std::move(arguments), folder.path() / "log");
  }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port); }

  // Asks until it answers; false when it ended instead.
  bool is_up() const {
    const StopEvent stop;
    DnsResolver resolver(address(), 200ms, stop);
    while (process->is_running()) {
      if (resolver.resolve("up.example", DnsType::kA)) return true;
    }
    return false;
  }
};

std::vector<std::string> sorted_addresses(const SourceReading& reading) {
  auto addresses = RunningSource::addresses_of(reading);
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

}  // namespace

TEST_CASE("peers come from SRV, A and AAAA records") {
  const NameServer server({"--srv-host=_rdmadiag._tcp.example,node1.example,10915",
                           "--srv-host=_rdmadiag._tcp.example,node2.example,10916",
                           "--host-record=node1.example,192.0.2.1,2001:db8::1"});
  REQUIRE(server.is_up());
  const auto expect = [&](DnsSourceOptions options, const std::vector<std::string>& wanted) {
    options.servers = server.address();
    RunningSource source(std::make_unique<DnsSource>(std::move(options)));
    CHECK(source.wait_for([&](const RunningSource::Reading& reading) {
      return reading && sorted_addresses(*reading) == wanted;
    }));
  };
  expect({.names = {"_rdmadiag._tcp.example"}}, {"node1.example:10915", "node2.example:10916"});
  expect({.names = {"node1.example"}, .type = DnsType::kA}, {"192.0.2.1:10915"});
  expect({.names = {"node1.example"}, .type = DnsType::kAaaa, .port = 7}, {"[2001:db8::1]:7"});
  expect({.names = {"gone.example", "node1.example"}, .type = DnsType::kA}, {"192.0.2.1:10915"});
  expect({.names = {"gone.example"}}, {});
}

TEST_CASE("a name server that is gone is an error, and back it is asked again") {
  NameServer server({"--host-record=node1.example,192.0.2.1"});
  REQUIRE(server.is_up());
  RunningSource source(std::make_unique<DnsSource>(DnsSourceOptions{.names = {"node1.example"},
                                                                    .type = DnsType::kA,
                                                                    .refresh = 20ms,
                                                                    .servers = server.address()}));
  CHECK(source.wait_for_addresses({"192.0.2.1:10915"}));
  server.process->signal(SIGSTOP);
  CHECK(source.wait_for_error());
  server.process->signal(SIGCONT);
  CHECK(source.wait_for_addresses({"192.0.2.1:10915"}));
}

TEST_CASE("a look-up under way ends when the program stops") {
  const NameServer server({});
  REQUIRE(server.is_up());
  server.process->signal(SIGSTOP);
  StopEvent stop;
  DnsResolver resolver(server.address(), 10min, stop);
  std::jthread stopper([&] { stop.set(); });
  CHECK_FALSE(resolver.resolve("node1.example", DnsType::kA));
  server.process->signal(SIGCONT);
}

TEST_CASE("the next look is at the time to live, within bounds") {
  CHECK(DnsSource::next_look(60s, 30s) == 30s);
  CHECK(DnsSource::next_look(20s, 30s) == 20s);
  CHECK(DnsSource::next_look(0s, 30s) == 5s);
  CHECK(DnsSource::next_look(0s, 1s) == 1s);
}
