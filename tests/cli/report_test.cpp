// `rdmadiag report`: one page that needs nothing from outside and says what the host says.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/cli_fixture.h"
#include "tests/support/golden.h"

using namespace rdmadiag;
using test::CliFixture;
using test::CliResult;

namespace {

struct Report : CliFixture {
  Report() : CliFixture("mlx5_roce_200g") {
    during_wait = [this](std::chrono::nanoseconds duration) {
      ++waits;
      clock->advance(duration);
      tree.write("sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_sequence",
                 std::to_string(3'000'000 + 700 * waits));
      return waits < stop_after;
    };
  }
  std::string file = tree.at("page.html").string();
  int waits = 0;
  int stop_after = 1000;

  std::string page() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

bool contains(const std::string& page, const std::string& part) {
  return page.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a report has its findings, plots, GIDs, configuration and snapshot") {
  Report report;
  report.tree.write("etc/rdmadiag.yaml",
                    "peers: {http_sd: [{url: \"https://me:hunter2@peers.example/a\"}]}\n");
  const CliResult result = report.run({"report", report.file});
  CHECK(result.code == 0);
  CHECK(contains(result.out, "21 looks"));
  const std::string page = report.page();
  for (const char* part :
       {"transport-out-of-sequence", "<svg viewBox", "mlx5_1 port 1: errors and events",
        "out_of_sequence</li>", "id=\"gids\"", "RoCE v2", "id=\"config\"", "peers.example/a",
        "&quot;schema_version&quot;", "</html>"}) {
    INFO(part);
    CHECK(contains(page, part));
  }
  CHECK_FALSE(contains(page, "hunter2"));
}

TEST_CASE("a report asks for nothing from outside and runs nothing") {
  Report report;
  report.tree.write("sys/class/infiniband/mlx5_0/node_desc", "<script>alert(1)</script>\n");
  CHECK(report.run({"report", report.file}).code == 0);
  const std::string page = report.page();
  CHECK(contains(page, "&lt;script&gt;alert(1)"));
  static const std::regex kOutside(
      "<(script|link|img|iframe|object|embed)\\b|\\b(src|href|srcset|action)=\"(?!#)|url\\(|@"
      "import|"
      "\\son[a-z]+=");
  CHECK_FALSE(std::regex_search(page, kOutside));
  CHECK(contains(page, "default-src 'none'"));
}

TEST_CASE("an interrupted report is of what was seen by then") {
  Report report;
  report.stop_after = 4;
  CHECK(report.run({"report", report.file}).code == 0);
  CHECK(contains(report.page(), "<svg viewBox"));
  report.stop_after = 0;
  CHECK(contains(report.run({"report", report.file}).out, "1 look"));
  CHECK(contains(report.page(), "not enough looks"));
}

TEST_CASE("a report of another tree looks once, and says where it cannot be written") {
  Report report;
  const std::string sysfs = report.tree.sys().string();
  CHECK(report.run({"report", report.file, "--path.sysfs", sysfs}).code == 0);
  CHECK(report.waits == 0);
  const CliResult result = report.run({"report", "/no/such/folder/a.html", "--path.sysfs", sysfs});
  CHECK(result.code == 3);
  CHECK(result.err ==
        "rdmadiag: creating a file beside /no/such/folder/a.html: No such file or directory\n");
  CHECK(result.out.empty());
}

TEST_CASE("what an agent says twice is one look") {
  Report report;
  report.pages["http://node7:10915/api/v1/snapshot"] = report.run({"status", "--json"}).out;
  const CliResult result = report.run({"report", report.file, "--agent", "node7"});
  INFO(result.err);
  CHECK(report.waits == 20);
  CHECK(contains(result.out, ": 1 look, "));
}

TEST_CASE("JSON of a report") {
  Report report;
  std::string json = report.run({"report", report.file, "--json"}).out;
  json.replace(json.find(report.file), report.file.size(), "/tmp/host.html");
  CHECK(test::golden_difference("cli/report.json", json) == "");
}
