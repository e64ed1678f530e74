// The commands on whole sample hosts: what they print, and what they say by their exit code.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "exporters/json.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/golden.h"

using namespace rdmadiag;
using nlohmann::json;

namespace {

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, exporters::text_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

const std::vector<std::vector<std::string>> kViews = {
    {"status"}, {"devices"}, {"devices", "-v"}, {"gids"}, {"counters"}, {"counters", "--raw"}};

std::string file_name(const std::vector<std::string>& command) {
  std::string name;
  for (const std::string& word : command) name += (name.empty() ? "" : "_") + word;
  return name;
}

}  // namespace

TEST_CASE("every view of the sample hosts is as it was") {
  for (const char* host : {"mlx5_roce_200g", "mlx5_ib_ndr", "hfi1", "efa", "no_rdma"}) {
    test::CliFixture cli(host);
    for (const auto& command : kViews) {
      const std::string name = std::string("cli/") + host + "." + file_name(command) + ".txt";
      CHECK(test::golden_difference(name, cli.run(command).out) == "");
    }
  }
}

TEST_CASE("every view of every sample host fits the terminal and holds no control character") {
  for (const std::string& host : test::sample_tree_names()) {
    test::CliFixture cli(host);
    for (const std::size_t width : {std::size_t{40}, std::size_t{100}}) {
      cli.style = {.width = width, .colour = false, .utf8 = false};
      for (const auto& command : kViews) {
        const auto result = cli.run(command);
        INFO(host << " " << file_name(command) << " " << width);
        CHECK(widest_line(result.out) <= width);
        CHECK(std::all_of(result.out.begin(), result.out.end(),
                          [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
      }
    }
  }
}

TEST_CASE("the exit code of status says how the host is") {
  CHECK(test::CliFixture("no_rdma").run({"status"}).code == cli::kExitUnknown);
  CHECK(test::CliFixture("no_devices").run({"status"}).code == cli::kExitUnknown);
  CHECK(test::CliFixture("mlx5_ib_ndr").run({"status"}).code == cli::kExitCritical);

  test::CliFixture healthy;
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  healthy.tree.write("sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
  healthy.tree.write(port + "state", "4: ACTIVE\n");
  healthy.tree.write(port + "phys_state", "5: LinkUp\n");
  healthy.tree.write(port + "link_layer", "InfiniBand\n");
  healthy.tree.write(port + "rate", "400 Gb/sec (4X NDR)\n");
  healthy.tree.write(port + "gids/0", "fe80:0000:0000:0000:0c42:a103:0065:1d7e\n");
  healthy.tree.write(port + "gid_attrs/types/0", "IB/RoCE v1\n");
  CHECK(healthy.run({"status"}).code == cli::kExitFine);

  healthy.tree.write("etc/rdmadiag.yaml", "expect: {rate: 800Gb/s}\n");
  CHECK(healthy.run({"status"}).code == cli::kExitWarning);
}

TEST_CASE("status shows another host by its agent") {
  test::CliFixture there("mlx5_ib_ndr");
  const auto json_text = there.run({"status", "--json"});
  const auto text = there.run({"status"});

  test::CliFixture here("no_rdma");
  here.pages["http://node2:10915/api/v1/snapshot"] = json_text.out;
  const auto remote = here.run({"status", "--agent", "node2"});
  CHECK(remote.err.empty());
  CHECK(remote.out == text.out);
  CHECK(remote.code == text.code);
  for (const char* command : {"devices", "gids", "counters"}) {
    CHECK(here.run({command, "--agent", "node2:10915"}).out == there.run({command}).out);
  }
}

TEST_CASE("an agent that cannot be asked or talks nonsense is exit code 3") {
  test::CliFixture cli("no_rdma");
  const auto absent = cli.run({"status", "--agent", "node2:9"});
  CHECK(absent.code == cli::kExitUnknown);
  CHECK(absent.err == "rdmadiag: http://node2:9/api/v1/snapshot: HTTP status 404\n");
  for (const char* body : {"", "<html>", "{}", "[1]", R"({"schema_version": 999})"}) {
    cli.pages["http://node2:9/api/v1/snapshot"] = body;
    const auto result = cli.run({"status", "--agent", "node2:9"});
    INFO(body);
    CHECK(result.code == cli::kExitUnknown);
    CHECK(result.out.empty());
    CHECK_FALSE(result.err.empty());
  }
}

TEST_CASE("counters between two reads show what moved and how fast") {
  test::CliFixture cli("mlx5_roce_200g");
  cli.during_wait = [&](std::chrono::nanoseconds) {
    cli.tree.overlay("mlx5_roce_200g_t30s");
    return true;
  };
  const auto result = cli.run({"counters", "--diff", "30s", "--nonzero"});
  CHECK(result.code == 0);
  CHECK(result.err == "reading for 30s\n");
  CHECK(test::golden_difference("cli/mlx5_roce_200g.counters_diff.txt", result.out) == "");
}

TEST_CASE("counters can be narrowed to classes") {
  test::CliFixture cli("mlx5_roce_200g");
  const json all = json::parse(cli.run({"counters", "--json"}).out);
  const json some =
      json::parse(cli.run({"counters", "--json", "--class", "retransmit,cnp_ecn"}).out);
  std::size_t expected = 0;
  for (const json& counter : all["devices"][0]["ports"][0]["counters"]) {
    const std::string name = counter.value("class", "");
    expected += name == "retransmit" || name == "cnp_ecn" ? 1 : 0;
  }
  CHECK(expected > 5);
  CHECK(some["devices"][0]["ports"][0]["counters"].size() == expected);
}

TEST_CASE("watch shows until it is interrupted") {
  test::CliFixture cli("mlx5_roce_200g");
  int waits = 0;
  cli.during_wait = [&](std::chrono::nanoseconds duration) {
    CHECK(duration == std::chrono::seconds(2));
    if (waits == 0) cli.tree.overlay("mlx5_roce_200g_t30s");
    return ++waits < 3;
  };
  const auto result = cli.run({"counters", "--watch", "--nonzero"});
  CHECK(result.code == 0);
  CHECK(waits == 3);
  CHECK(result.out.find("/s") != std::string::npos);
  CHECK(result.out.ends_with("no counter to show\n"));
  CHECK(result.out.find('\x1b') == std::string::npos);

  cli.out_is_terminal = true;
  waits = 0;
  CHECK(cli.run({"counters", "--watch", "--nonzero"}).out.find("\x1b[H\x1b[2J") !=
        std::string::npos);
}

TEST_CASE("filters keep devices out") {
  test::CliFixture cli("mlx5_ib_ndr");
  const auto only =
      cli.run({"devices", "--device.include", "mlx5_[01]", "--device.exclude", ".*_1"});
  CHECK(only.out.find("mlx5_0") != std::string::npos);
  CHECK(only.out.find("mlx5_1") == std::string::npos);
  CHECK(only.out.find("mlx5_2") == std::string::npos);
}

TEST_CASE("another root is looked at instead of this host, with the procfs beside it") {
  test::CliFixture cli("no_rdma");
  const test::SampleTree other("mlx5_ib_ndr");
  for (const std::string tail : {"", "/"}) {
    const auto result = cli.run({"devices", "--path.sysfs", other.sys().string() + tail});
    CHECK(result.out == test::CliFixture("mlx5_ib_ndr").run({"devices"}).out);
  }
  const auto missing = cli.run({"devices", "--path.sysfs", "/nonexistent/place"});
  CHECK(missing.code == cli::kExitUnknown);
  CHECK(missing.err == "rdmadiag: opening /nonexistent/place: No such file or directory\n");
}

TEST_CASE("queue pairs nobody tells are not taken for none") {
  const auto result = test::CliFixture("mlx5_ib_ndr").run({"qps"});
  CHECK(result.code == cli::kExitUnknown);
  CHECK(result.err.find("mlx5_0: RDMA netlink tells no queue pairs") != std::string::npos);
}

TEST_CASE("every command prints JSON with its schema's version") {
  test::CliFixture cli("broken_odd_values");
  const std::vector<std::vector<std::string>> commands = {
      {"status"},  {"devices"},         {"gids"},          {"counters"}, {"qps"}, {"doctor"},
      {"metrics"}, {"config", "check"}, {"config", "show"}};
  for (auto command : commands) {
    command.emplace_back("--json");
    INFO(command.front());
    const auto result = cli.run(command);
    const json document = json::parse(result.out);
    CHECK(document.at("schema_version") == 1);
    CHECK(result.out.ends_with("\n"));
  }
}

TEST_CASE("config says every problem at once, with its line") {
  test::CliFixture cli;
  cli.tree.write("etc/rdmadiag.yaml", "collect: {deadlin: 1s}\nprobes:\n  ud: {dscp: 99}\n");
  const auto bad = cli.run({"config", "check"});
  CHECK(bad.code == cli::kExitCritical);
  CHECK(bad.out.find("rdmadiag.yaml:1: collect.deadlin: ") != std::string::npos);
  CHECK(bad.out.find("rdmadiag.yaml:3: probes.ud.dscp: ") != std::string::npos);
  CHECK(cli.run({"config", "show"}).code == cli::kExitCritical);

  cli.tree.write("etc/rdmadiag.yaml", "collect: {deadline: 3s}\n");
  const auto shown = cli.run({"config", "show"});
  CHECK(shown.code == cli::kExitFine);
  CHECK(shown.out.find("deadline: 3s") != std::string::npos);
  cli.tree.write("shown.yaml", shown.out);
  CHECK(cli.run({"config", "show", cli.tree.at("shown.yaml").string()}).out == shown.out);
}

TEST_CASE("a configuration that is not there is called so, not fine") {
  test::CliFixture cli;
  const std::string usual = cli.tree.at("etc/rdmadiag.yaml").string();
  cli.style.width = 200;
  const auto missing = cli.run({"config", "check"});
  CHECK(missing.code == cli::kExitFine);
  CHECK(missing.out == "no file " + usual + ": the defaults are in effect\n");
  CHECK(json::parse(cli.run({"config", "check", "--json"}).out).at("file").is_null());
  CHECK(json::parse(cli.run({"config", "show", "--json"}).out).at("file").is_null());
  const auto named = cli.run({"config", "check", usual});
  CHECK(named.code == cli::kExitCritical);
  CHECK(named.out == usual + ": No such file or directory\n");

  cli.tree.write("etc/rdmadiag.yaml", "");
  CHECK(cli.run({"config", "check"}).out == "fine\n");
  CHECK(json::parse(cli.run({"config", "check", "--json"}).out).at("file") == usual);

  // There is something, and it cannot be read.
  cli.tree.remove("etc/rdmadiag.yaml");
  cli.tree.make_link("etc/rdmadiag.yaml", "rdmadiag.yaml");
  CHECK(cli.run({"config", "check"}).code == cli::kExitCritical);
}

TEST_CASE("metrics finds a metric by its own name and by a counter's") {
  test::CliFixture cli;
  CHECK(cli.run({"metrics", "out_of_sequence_received"})
            .out.find("rdma_out_of_sequence_received_total\n") != std::string::npos);
  CHECK(cli.run({"metrics", "np_cnp_sent"}).out.starts_with("rdma_cnp_sent_total\n"));
  CHECK(cli.run({"metrics", "no such thing"}).code == cli::kExitUnknown);
  const json list = json::parse(cli.run({"metrics", "--json"}).out).at("metrics");
  CHECK(list.size() == core::all_metrics().size());
}
