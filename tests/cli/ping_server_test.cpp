// `ping --server` and `ping` against each other: real HTTP, fake libibverbs.
#include <catch2/catch.hpp>
#include <thread>

#include "agent/cli/fetch.h"
#include "agent/core/gid.h"
#include "exporters/listen.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/fake_verbs.h"

using namespace rdmadiag;
using namespace std::chrono_literals;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string write_key(test::CliFixture& cli) {
  cli.tree.write("etc/probe.key", "1 00112233445566778899aabbccddeeff\n");
  std::filesystem::permissions(cli.tree.at("etc/probe.key"), std::filesystem::perms(0600));
  return cli.tree.at("etc/probe.key");
}

std::string free_address() {
  const auto listener = exporters::open_listener({"127.0.0.1", 0});
  return exporters::listener_name(listener.value());
}

struct Client : test::CliFixture {
  Client() : CliFixture("mlx5_roce_200g") {
    answer_call = cli::fetch;
    during_wait = [](std::chrono::nanoseconds duration) {
      std::this_thread::sleep_for(duration);
      return true;
    };
  }
  // Until the server has opened its device.
  test::CliResult ping(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "ping");
    arguments.insert(arguments.end(), {"--device", "mlx5_0", "-c", "2", "-i", "200ms"});
    test::CliResult result = run(arguments);
    for (int i = 0; i < 100 && holds(result.err, "not opened yet"); ++i) {
      std::this_thread::sleep_for(20ms);
      result = run(arguments);
    }
    return result;
  }
};

}  // namespace

TEST_CASE("a host without the agent answers pings until it is interrupted") {
  auto& fake = test::FakeVerbs::instance();
  fake.reset();
  fake.add_device("mlx5_0", core::parse_gid("::ffff:10.0.0.1").value());
  fake.add_device("mlx5_1", core::parse_gid("::ffff:10.0.0.2").value());
  const std::string address = free_address();
  Client client;
  const std::string key = write_key(client);
  test::CliResult datagrams;
  test::CliResult connection;
  test::CliResult write;
  test::CliFixture server("mlx5_roce_200g");
  server.during_wait = [&](auto) {
    datagrams = client.ping({address, "--key-file", key});
    connection = client.ping({address + "/mlx5_1", "--rc"});
    write = client.ping({address, "--rc", "--op", "write"});
    return false;
  };
  const auto served = server.run({"ping", "--server", "--listen", address, "--device", "mlx5_1",
                                  "--key-file", write_key(server)});
  INFO(served.out << served.err << datagrams.out << datagrams.err << connection.out
                  << connection.err);
  CHECK(served.code == cli::kExitFine);
  CHECK(datagrams.code == cli::kExitFine);
  CHECK(holds(datagrams.out, "here/mlx5_1: 2 probes, 0 lost"));
  CHECK(connection.code == cli::kExitFine);
  CHECK(holds(connection.out, "here/mlx5_1: 2 messages, 0 lost"));
  CHECK(write.code == cli::kExitUnknown);
  CHECK(holds(write.err, "one-sided probes are not allowed here"));
  CHECK(holds(served.out, "rdmadiag ping " + address + " --key-file "));
  CHECK(fake.live_objects().empty());
  CHECK(fake.violations().empty());
}

TEST_CASE("ping --server says what it lacks") {
  test::CliFixture cli("mlx5_roce_200g");
  CHECK(holds(cli.run({"ping", "--server"}).err, "no key: set probes.key_file"));
  const std::string key = write_key(cli);
  const auto without = cli.run({"ping", "--server", "--key-file", key, "--device", "none"});
  CHECK(without.code == cli::kExitUnknown);
  CHECK(holds(without.err, "no active RDMA port here, on none"));
  auto& fake = test::FakeVerbs::instance();
  fake.reset();
  const auto taken = exporters::open_listener({"127.0.0.1", 0});
  const std::string address = exporters::listener_name(taken.value());
  const auto busy = cli.run({"ping", "--server", "--key-file", key, "--listen", address});
  CHECK(busy.code == cli::kExitUnknown);
  CHECK(holds(busy.err, address));
  CHECK(holds(busy.err, "an agent that runs here answers"));
}
