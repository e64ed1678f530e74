// The real program: what main does with terminals, locales, signals and another host's agent.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>

#include "exporters/table.h"
#include "tests/cli/cli_process.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using test::CliProcess;

namespace {

std::string output_of(std::vector<std::string> arguments,
                      const test::CliProcessOptions& options = {}) {
  CliProcess process(std::move(arguments), options);
  (void)process.wait();
  return process.output();
}

bool has_colour(const std::string& text) { return text.find("\x1b[") != std::string::npos; }

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

TEST_CASE("colour is for terminals, and only where it is wanted") {
  const test::SampleTree tree("mlx5_ib_ndr");
  const std::vector<std::string> status = {"status", "--path.sysfs", tree.sys().string()};
  CHECK(has_colour(output_of(status, {.environment = {}, .terminal_columns = 100, .output = ""})));
  CHECK_FALSE(has_colour(output_of(status)));
  for (const auto& [name, value] :
       {std::pair("NO_COLOR", "1"), std::pair("NO_COLOR", "0"), std::pair("TERM", "dumb")}) {
    INFO(name << "=" << value);
    CHECK_FALSE(has_colour(output_of(
        status, {.environment = {{name, value}}, .terminal_columns = 100, .output = ""})));
  }
  CHECK(has_colour(output_of(
      status, {.environment = {{"NO_COLOR", ""}}, .terminal_columns = 100, .output = ""})));
}

TEST_CASE("the terminal's width is kept") {
  const test::SampleTree tree("mlx5_ib_ndr");
  for (const std::uint16_t columns : {std::uint16_t{40}, std::uint16_t{72}}) {
    const std::string text =
        output_of({"counters", "--path.sysfs", tree.sys().string()},
                  {.environment = {{"NO_COLOR", "1"}}, .terminal_columns = columns, .output = ""});
    std::size_t at = 0;
    std::size_t lines = 0;
    for (std::size_t end = 0; (end = text.find("\r\n", at)) != std::string::npos; at = end + 2) {
      ++lines;
      CHECK(exporters::text_width(text.substr(at, end - at)) <= columns);
    }
    CHECK(lines > 20);
  }
}

TEST_CASE("a locale without UTF-8 gets ASCII") {
  test::SampleTree tree("mlx5_ib_ndr");
  tree.write("sys/class/infiniband/mlx5_0/node_desc", "K\xc3\xb6ln\n");
  const std::vector<std::string> devices = {"devices", "-v", "--path.sysfs", tree.sys().string()};
  CHECK(output_of(devices).find("K\xc3\xb6ln") != std::string::npos);
  const std::string plain =
      output_of(devices, {.environment = {{"LC_ALL", "C"}}, .terminal_columns = 0, .output = ""});
  CHECK(is_ascii(plain));
  CHECK(plain.find("K\\xc3\\xb6ln") != std::string::npos);
}

TEST_CASE("output that cannot be written is not a success") {
  CliProcess process({"metrics"},
                     {.environment = {}, .terminal_columns = 0, .output = "/dev/full"});
  CHECK(process.wait() == 3);
  CHECK(process.output() == "rdmadiag: the output could not be written\n");
}

TEST_CASE("Ctrl-C ends a watch in good order") {
  const test::SampleTree tree("mlx5_roce_200g");
  CliProcess watch({"counters", "--watch", "1h", "--path.sysfs", tree.sys().string()});
  watch.wait_for("mlx5_2 port 1");
  watch.wait_until_waiting();
  watch.send_signal(SIGINT);
  CHECK(watch.wait() == 0);
}

TEST_CASE("Ctrl-C ends the wait between two reads, and what there is is shown") {
  const test::SampleTree tree("mlx5_roce_200g");
  CliProcess diff({"counters", "--diff", "1h", "--path.sysfs", tree.sys().string()});
  diff.wait_for("reading for 1h");
  diff.wait_until_waiting();
  diff.send_signal(SIGINT);
  CHECK(diff.wait() == 0);
  CHECK(diff.output().find("mlx5_2 port 1") != std::string::npos);
}

TEST_CASE("outside a wait Ctrl-C ends the program at once") {
  test::SampleTree tree("mlx5_roce_200g");
  // A reader that is stuck: nobody ever writes into this.
  const std::string fifo = tree.at("sys/class/infiniband/mlx5_0/ports/1/state");
  tree.remove("sys/class/infiniband/mlx5_0/ports/1/state");
  REQUIRE(::mkfifo(fifo.c_str(), 0644) == 0);
  CliProcess status({"status", "--path.sysfs", tree.sys().string()});
  status.wait_until_threads(2);
  status.send_signal(SIGINT);
  CHECK(status.wait() == 128 + SIGINT);
}

TEST_CASE("an agent nobody runs is said to be so") {
  CliProcess process({"status", "--agent", "127.0.0.1:1"});
  CHECK(process.wait() == 3);
  CHECK(process.output().find("http://127.0.0.1:1/api/v1/snapshot: ") != std::string::npos);
}

TEST_CASE("a reader that has seen enough is no error") {
  int ends[2] = {-1, -1};
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const core::UniqueFd nobody_writes(ends[1]);
  const std::string pipe = "/proc/self/fd/" + std::to_string(ends[1]);
  // Opened by the program before the reader goes: see become_cli.
  core::UniqueFd reader(ends[0]);
  CliProcess process({"metrics"}, {.environment = {}, .terminal_columns = 0, .output = pipe});
  reader = {};
  CHECK(process.wait() == 0);
  CHECK(process.output().empty());
}
