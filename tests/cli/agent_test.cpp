// The real rdmadiag beside the real rdmadiagd: the same findings in every output.
#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/cli_process.h"
#include "tests/daemon/daemon_process.h"
#include "tests/exporters/curl_client.h"
#include "tests/exporters/series.h"

using namespace rdmadiag;
using test::CliProcess;
using test::DaemonProcess;

namespace {

using Names = std::set<std::string>;  // "critical link-down mlx5_4"

// Without notes: what counters remember is told at the first look alone.
Names names_of(const nlohmann::json& diagnosis) {
  Names names;
  for (const auto& finding : diagnosis.at("findings")) {
    if (finding.at("severity") == "info") continue;
    names.insert(std::string(finding.at("severity")) + " " + std::string(finding.at("rule")) + " " +
                 finding.at("subject").value("device", ""));
  }
  return names;
}

// Of rdmadiag_finding{device="mlx5_4",port="1",rule="link-down",severity="critical"}.
Names names_of_series(const std::string& text) {
  const auto label = [](const std::string& series, const std::string& name) {
    const auto at = series.find(name + "=\"");
    if (at == std::string::npos) return std::string();
    const auto start = at + name.size() + 2;
    return series.substr(start, series.find('"', start) - start);
  };
  Names names;
  for (const auto& [series, value] : test::parse_series(text)) {
    if (!series.starts_with("rdmadiag_finding{")) continue;
    if (label(series, "severity") == "info") continue;
    names.insert(label(series, "severity") + " " + label(series, "rule") + " " +
                 label(series, "device"));
  }
  return names;
}

struct Answer {
  int code;
  std::string text;
};

Answer ask(std::vector<std::string> arguments, const std::string& agent) {
  arguments.insert(arguments.end(), {"--agent", agent});
  CliProcess process(std::move(arguments));
  const int code = process.wait();
  return {code, process.output()};
}

}  // namespace

TEST_CASE("every output of a host says the same findings") {
  const test::SampleTree tree("mlx5_ib_ndr");
  DaemonProcess daemon(test::serving(tree));
  const std::string url = daemon.url();
  daemon.wait_until_ready();

  const Answer check = ask({"check", "--json"}, url);
  CHECK(check.code == 2);
  const Names told = names_of(nlohmann::json::parse(check.text));
  CHECK(told.contains("critical link-down mlx5_4"));
  CHECK(told.contains("warning pcie-degraded mlx5_3"));
  CHECK(names_of(nlohmann::json::parse(get(url + "/api/v1/findings").body)) == told);
  CHECK(names_of_series(get(url + "/metrics").body) == told);
  const std::string page = get(url + "/").body;
  for (const std::string& name : told) {
    const std::string rule = name.substr(name.find(' ') + 1, name.rfind(' ') - name.find(' ') - 1);
    INFO(rule);
    CHECK(page.find("<dd>" + rule + "</dd>") != std::string::npos);
  }
  CliProcess local({"check", "--json", "--path.sysfs", tree.sys().string()});
  CHECK(local.wait() == 2);
  CHECK(names_of(nlohmann::json::parse(local.output())) == told);
}

TEST_CASE("another host is shown by its agent in every view") {
  const test::SampleTree tree("mlx5_roce_200g");
  DaemonProcess daemon(test::serving(tree));
  const std::string url = daemon.url();
  daemon.wait_until_ready();
  for (const char* view : {"status", "devices", "gids", "counters"}) {
    INFO(view);
    const Answer there = ask({view}, url);
    CHECK(there.text.find("mlx5_1") != std::string::npos);
    const std::string address = url.substr(url.find("//") + 2);
    const Answer again = ask({view}, address);  // a URL is not needed
    CHECK(again.text.find("mlx5_1") != std::string::npos);
    // That one also says when it was read, and notes at the first look alone.
    if (view == std::string("status")) continue;
    CHECK(again.text == there.text);
    CliProcess here({view, "--path.sysfs", tree.sys().string()});
    CHECK(here.wait() == there.code);
    CHECK(here.output() == there.text);
  }
  const Answer page = ask({"report", tree.at("page.html").string(), "--duration", "20ms"}, url);
  CHECK(page.code == 0);
  daemon.send_signal(SIGTERM);
  CHECK(daemon.wait().exit_code == 0);
  CHECK(ask({"status"}, url).code == 3);
}
