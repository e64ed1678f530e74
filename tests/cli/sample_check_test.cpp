// `rdmadiag check` on the sample trees: exactly the problems that their README names, and no more.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "exporters/json.h"
#include "tests/cli/cli_fixture.h"

using namespace rdmadiag;
using test::CliFixture;
using test::CliResult;

namespace {

using Names = std::set<std::string>;  // "warning pcie-degraded mlx5_3"

Names problems(const CliResult& result, bool with_notes = false) {
  Names names;
  const auto document = nlohmann::json::parse(result.out);
  for (const auto& finding : document.at("findings")) {
    const std::string severity = finding.at("severity");
    if (severity == "info" && !with_notes) continue;
    names.insert(severity + " " + std::string(finding.at("rule")) + " " +
                 std::string(finding.at("subject").value("device", "host")));
  }
  return names;
}

// Two looks half a minute apart, at a host whose counters move from one case to the other.
CliResult check_over(CliFixture& host, std::string_view later) {
  host.during_wait = [&host, later](std::chrono::nanoseconds) {
    if (!later.empty()) host.tree.overlay(later);
    return true;
  };
  return host.run({"check", "--json", "--interval", "30s"});
}

}  // namespace

TEST_CASE("the unwell InfiniBand host has the problems its README names") {
  CliFixture host("mlx5_ib_ndr");
  const CliResult result = check_over(host, "");
  CHECK(result.code == 2);
  CHECK(problems(result) == Names{"critical link-down mlx5_4", "warning counter-saturated mlx5_4",
                                  "warning pcie-degraded mlx5_3"});
}

TEST_CASE("one look at it mentions what counters remember, of the unwell devices only") {
  CliFixture host("mlx5_ib_ndr");
  const CliResult result = host.run({"check", "--json", "--path.sysfs", host.tree.sys().string()});
  CHECK(result.code == 2);
  CHECK(problems(result, true) ==
        Names{"critical link-down mlx5_4", "warning counter-saturated mlx5_4",
              "warning pcie-degraded mlx5_3", "info pcie-errors mlx5_3",
              "info link-flapping mlx5_2", "info link-recoveries mlx5_2",
              "info link-symbol-errors mlx5_2", "info link-receive-errors mlx5_2",
              "info transmit-discards mlx5_2", "info transport-retry-exceeded mlx5_2",
              "info transport-ack-timeouts mlx5_2", "info link-flapping mlx5_4",
              "info link-symbol-errors mlx5_4"});
}

TEST_CASE("the congested RoCE port has the problems its README names, its neighbours none") {
  CliFixture host("mlx5_roce_200g");
  const CliResult result = check_over(host, "mlx5_roce_200g_t30s");
  CHECK(result.code == 2);
  CHECK(problems(result) ==
        Names{"critical transport-retry-exceeded mlx5_1", "warning transport-ack-timeouts mlx5_1",
              "warning transport-sequence-naks mlx5_1", "warning transport-out-of-sequence mlx5_1",
              "warning transport-duplicates mlx5_1", "warning transport-rnr-received mlx5_1",
              "warning queue-no-buffer mlx5_1", "warning queue-completion-errors mlx5_1",
              "warning congestion-marks mlx5_1"});
}

TEST_CASE("healthy hosts have no problem") {
  for (const char* name : {"bnxt_re_6_12", "bnxt_re_6_18", "cxgb4", "efa", "erdma", "hfi1",
                           "irdma_e810", "irdma_gen3_names", "mlx4", "qib", "rxe", "siw"}) {
    INFO(name);
    CliFixture host(name);
    const CliResult result = check_over(host, "");
    CHECK(problems(result) == Names{});
    CHECK(result.code == 0);
  }
}

TEST_CASE("this host's agent adds what only it can know, and another's does not") {
  CliFixture host("rxe");
  host.tree.write("proc/sys/kernel/hostname", "node1\n");
  core::HostSnapshot seen;
  seen.hostname = "node1";
  core::AgentStatus agent;
  agent.diagnosis.findings = {{.rule = "path-loss",
                               .severity = core::FindingSeverity::kWarning,
                               .subject = {"rxe0", 1, ""},
                               .found = "12 of 300 probes lost",
                               .expected = "at most 1 %",
                               .meaning = "",
                               .next_step = ""},
                              {.rule = "link-down",
                               .severity = core::FindingSeverity::kCritical,
                               .subject = {"rxe0", 1, ""},
                               .found = "an older look",
                               .expected = "",
                               .meaning = "",
                               .next_step = ""}};
  const auto answer = [&] {
    host.pages["http://localhost:10915/api/v1/snapshot"] =
        exporters::render_json(seen, agent, exporters::JsonLayout::kCompact);
  };
  answer();
  const CliResult own = check_over(host, "");
  CHECK(own.code == 1);
  CHECK(problems(own) == Names{"warning path-loss rxe0"});
  CHECK(own.out.find("no agent is asked") == std::string::npos);

  seen.hostname = "node2";
  answer();
  const CliResult other = check_over(host, "");
  CHECK(other.code == 0);
  CHECK(other.out.find("no agent is asked") != std::string::npos);
}

TEST_CASE("a host without RDMA cannot be judged") {
  for (const char* name : {"no_rdma", "no_devices"}) {
    CliFixture host(name);
    CHECK(check_over(host, "").code == 3);
    CHECK(host.run({"check", "--path.sysfs", host.tree.sys().string()}).code == 3);
  }
}
