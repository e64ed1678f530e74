// What a command says and how it ends when there is nothing to look at, or it cannot be read.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using nlohmann::json;
using test::CliFixture;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder opens and cannot be read, for root too.
void make_unreadable(CliFixture& host, const std::string& file) {
  host.tree.remove(file);
  host.tree.make_directory(file);
}

}  // namespace

TEST_CASE("a port whose state cannot be read is not healthy but unknown") {
  CliFixture host("rxe");
  REQUIRE(host.run({"status"}).code == 0);
  make_unreadable(host, "sys/class/infiniband/rxe0/ports/1/state");
  host.during_wait = [](auto) { return true; };
  const auto status = host.run({"status"});
  CHECK(status.code == cli::kExitUnknown);
  CHECK(contains(status.out, "could not tell: 1 device or port not readable"));
  CHECK_FALSE(contains(status.out, "healthy"));

  const auto check = host.run({"check"});
  CHECK(check.code == cli::kExitUnknown);
  CHECK(contains(check.out, "Could not be read, so not judged: rxe0 port 1"));
  CHECK_FALSE(contains(check.out, "Nothing wrong found"));
  const json document = json::parse(host.run({"check", "--json"}).out);
  CHECK(document.at("unreadable").at(0).at("text") == "rxe0 port 1 (eth0)");
}

TEST_CASE("doctor names what cannot be read and what mends it") {
  CliFixture host("rxe");
  CHECK(contains(host.run({"doctor"}).out, "values rxe0: all can be read that the driver offers"));
  make_unreadable(host, "sys/class/infiniband/rxe0/ports/1/state");
  const auto doctor = host.run({"doctor"});
  CHECK(contains(doctor.out, "warning   values rxe0: 1 cannot be read:"));
  CHECK(contains(doctor.out, "/ports/1/state (other)"));
  CHECK(contains(doctor.out, "mend: dmesg"));
}

TEST_CASE("commands that show devices end with 3 where there is none, and say why") {
  for (const std::string command : {"devices", "gids", "counters", "qps"}) {
    INFO(command);
    CliFixture none("no_rdma");
    const auto no_driver = none.run({command});
    CHECK(no_driver.code == cli::kExitUnknown);
    CHECK(no_driver.err == "rdmadiag: no RDMA device: no RDMA driver is loaded\n");
    CHECK(none.run({command, "--json"}).code == cli::kExitUnknown);

    CliFixture host("rxe");
    const auto filtered = host.run({command, "--device.include", "mlx5_.*"});
    CHECK(filtered.code == cli::kExitUnknown);
    CHECK(filtered.err ==
          "rdmadiag: no RDMA device passes --device.include and --device.exclude\n");
  }
  CliFixture host("rxe");
  CHECK(contains(host.run({"check", "--device.include", "x"}).err, "no RDMA device passes"));
  host.tree.remove("sys/class/infiniband");
  host.tree.write("sys/class/infiniband", "a plain file\n");
  const auto unlisted = host.run({"devices"});
  CHECK(unlisted.code == cli::kExitUnknown);
  CHECK(contains(unlisted.err, "no RDMA device can be seen: "));
  CHECK(contains(unlisted.err, "sys/class/infiniband (other)"));
  CHECK(contains(host.run({"status"}).out, "no RDMA device can be seen"));
}

TEST_CASE("a report of a host without devices is written at once, and is exit code 3") {
  CliFixture host("no_rdma");
  int waits = 0;
  host.during_wait = [&](auto) { return ++waits < 100; };
  const std::string file = host.tree.at("page.html").string();
  CHECK(host.run({"report", file}).code == cli::kExitUnknown);
  CHECK(std::filesystem::exists(file));
  CHECK(waits == 0);
}

TEST_CASE("a page that cannot be written is told before anybody waits for it") {
  CliFixture host("rxe");
  int waits = 0;
  host.during_wait = [&](auto) { return ++waits < 100; };
  CHECK(host.run({"report", "/no/such/folder/a.html"}).code == cli::kExitUnknown);
  CHECK(waits == 0);

  // One that is there stays as it is until there is a new one; one of no use is taken away.
  host.tree.write("old.html", "old");
  host.answer_call = [](const auto&) -> core::Result<std::string> { return core::fail("away"); };
  const std::string fresh = host.tree.at("new.html").string();
  CHECK(host.run({"report", fresh, "--agent", "node2"}).code == cli::kExitUnknown);
  CHECK_FALSE(std::filesystem::exists(fresh));
  const std::string old = host.tree.at("old.html").string();
  CHECK(host.run({"report", old, "--agent", "node2"}).code == cli::kExitUnknown);
  CHECK(std::filesystem::file_size(old) == 3);
}

TEST_CASE("no agent's name is a usage error, not this host") {
  CliFixture host("rxe");
  const auto result = host.run({"status", "--agent", ""});
  CHECK(result.code == cli::kExitUsage);
  CHECK(contains(result.err, "names no agent"));
}

TEST_CASE("an agent's same reading again is no second look") {
  CliFixture there("mlx5_roce_200g");
  const std::string first = there.run({"status", "--json"}).out;
  there.tree.overlay("mlx5_roce_200g_t30s");
  there.clock->advance(std::chrono::seconds(30));
  const std::string second = there.run({"status", "--json"}).out;

  CliFixture here("no_rdma");
  int asked = 0;
  here.answer_call = [&](const auto&) -> core::Result<std::string> {
    return ++asked < 4 ? first : second;
  };
  here.during_wait = [](auto) { return true; };
  const std::vector<std::string> diff = {"counters", "--diff", "300ms",
                                         "--agent",  "node2",  "--nonzero"};
  const auto moved = here.run(diff);
  CHECK(moved.code == 0);
  CHECK(asked == 4);
  CHECK(contains(moved.out, "/s"));

  here.answer_call = [&](const auto&) -> core::Result<std::string> { return first; };
  const auto same = here.run(diff);
  CHECK(same.code == cli::kExitUnknown);
  CHECK(contains(same.err, "node2 gives the same reading again"));
  CHECK(contains(same.err, "collect.min_interval"));

  // Who interrupts is not kept waiting.
  int waits = 0;
  here.during_wait = [&](auto) { return ++waits < 3; };
  CHECK(here.run({"counters", "--watch", "300ms", "--agent", "node2"}).code == 0);
  CHECK(waits == 3);
}

TEST_CASE("a capture does not change: nothing is waited for") {
  CliFixture host("rxe");
  const std::string archive = host.tree.at("host.tar.gz").string();
  REQUIRE(host.run({"capture", archive}).code == 0);
  for (const std::string option : {"--diff", "--watch"}) {
    const auto result = host.run({"counters", option, "3s", "--path.sysfs", archive});
    CHECK(result.code == cli::kExitUsage);
    CHECK(contains(result.err, "a capture does not change"));
  }
  // What the capture does not hold is not known, rather than missing on that host.
  const auto doctor = host.run({"doctor", "--path.sysfs", archive});
  CHECK(contains(doctor.out, "unknown   uverbs "));
  CHECK_FALSE(contains(doctor.out, "critical  uverbs"));
}

TEST_CASE("a device without a port that can be seen is not healthy") {
  CliFixture host("rxe");
  host.during_wait = [](auto) { return true; };
  host.tree.remove("sys/class/infiniband/rxe0/ports");
  host.tree.write("sys/class/infiniband/rxe0/ports", "");
  for (const std::string command : {"status", "check"}) {
    const auto result = host.run({command});
    INFO(command << ": " << result.out);
    CHECK(result.code == cli::kExitUnknown);
    CHECK_FALSE(contains(result.out, "healthy"));
  }
}

TEST_CASE("a device that is named and leads nowhere is not passed over") {
  CliFixture host("rxe");
  host.during_wait = [](auto) { return true; };
  host.tree.make_link("sys/class/infiniband/gone0", "../../devices/not_mounted");
  const auto check = host.run({"check"});
  CHECK(check.code == cli::kExitUnknown);
  CHECK(contains(check.out, "Could not be read, so not judged: gone0"));
}

TEST_CASE("a folder that is no sysfs is not a host without a driver") {
  CliFixture host("rxe");
  const auto one_too_high = host.run({"status", "--path.sysfs", host.tree.root().string()});
  CHECK(one_too_high.code == cli::kExitUnknown);
  CHECK(contains(one_too_high.err, "no RDMA device can be seen: "));
  CHECK(contains(one_too_high.err, "/class (enoent)"));
}

TEST_CASE("two looks need a device") {
  CliFixture none("no_rdma");
  none.during_wait = [](auto) { return true; };
  for (const std::string option : {"--diff", "--watch"}) {
    const auto result = none.run({"counters", option, "1s"});
    CHECK(result.code == cli::kExitUnknown);
    CHECK(contains(result.err, "no RDMA device"));
  }
}
