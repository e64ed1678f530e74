// The real program's output: narrow and wide terminals, pipes, locales, and nothing on standard
// output that is no result.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "exporters/table.h"
#include "tests/cli/cli_process.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using test::CliProcess;
using test::CliProcessOptions;

namespace {

const std::vector<std::vector<std::string>> kViews = {
    {"status"}, {"devices", "-v"}, {"gids"}, {"counters"}, {"check"}, {"metrics"}, {"doctor"}};

std::vector<std::string> of_tree(std::vector<std::string> view, const test::SampleTree& tree) {
  view.insert(view.end(), {"--path.sysfs", tree.sys().string()});
  return view;
}

std::string output_of(std::vector<std::string> arguments, const CliProcessOptions& options = {}) {
  CliProcess process(std::move(arguments), options);
  (void)process.wait();
  return process.output();
}

// What went to standard output alone.
std::string results_of(std::vector<std::string> arguments, const test::SampleTree& tree) {
  const std::string file = tree.at("out.txt").string();
  std::ofstream{file};
  CliProcess process(std::move(arguments),
                     {.environment = {}, .terminal_columns = 0, .output = file});
  (void)process.wait();
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Where a document has values. Two looks differ in their times, and in nothing else of this.
std::set<std::string> shape_of(const std::string& json) {
  std::set<std::string> places;
  const auto document = nlohmann::json::parse(json, nullptr, false).flatten();
  for (const auto& [place, value] : document.items()) places.insert(place);
  return places;
}

constexpr const char* kHostileName = "mlx5\n0\r\x1b[31m<b>\"";

struct HostileTree : test::SampleTree {
  HostileTree() : SampleTree("mlx5_ib_ndr") {
    make_directory(std::string("sys/class/infiniband/") + kHostileName + "/ports/1/counters");
    write(std::string("sys/class/infiniband/") + kHostileName + "/ports/1/counters/link_downed",
          "3\n");
    write("sys/class/infiniband/mlx5_0/node_desc", "K\xc3\xb6ln \x1b[31m \xff\n");
  }
};

}  // namespace

TEST_CASE("no view is wider than its terminal, and control characters never get through") {
  const HostileTree tree;
  for (const std::uint16_t columns : {std::uint16_t{40}, std::uint16_t{400}}) {
    for (const auto& view : kViews) {
      INFO(view.front() << " in " << columns);
      const std::string text = output_of(
          of_tree(view, tree),
          {.environment = {{"NO_COLOR", "1"}}, .terminal_columns = columns, .output = ""});
      CHECK(text.find('\x1b') == std::string::npos);
      std::size_t lines = 0;
      for (std::size_t at = 0, end = 0; (end = text.find("\r\n", at)) != std::string::npos;
           at = end + 2) {
        ++lines;
        CHECK(exporters::text_width(text.substr(at, end - at)) <= columns);
      }
      CHECK(lines > 0);
    }
  }
}

TEST_CASE("JSON is the same on a narrow terminal, a wide one, in a pipe and in any locale") {
  const HostileTree tree;
  for (auto view : kViews) {
    view.emplace_back("--json");
    INFO(view.front());
    const auto piped = shape_of(output_of(of_tree(view, tree)));
    CHECK(piped.contains("/schema_version"));
    CHECK(shape_of(output_of(
              of_tree(view, tree),
              {.environment = {{"LC_ALL", "C"}}, .terminal_columns = 0, .output = ""})) == piped);
    for (const std::uint16_t columns : {std::uint16_t{40}, std::uint16_t{400}}) {
      std::string shown = output_of(of_tree(view, tree),
                                    {.environment = {}, .terminal_columns = columns, .output = ""});
      std::erase(shown, '\r');
      CHECK(shape_of(shown) == piped);
    }
  }
}

TEST_CASE("a device whose name has control characters is shown, with its name spelled out") {
  const HostileTree tree;
  const std::string spelled = exporters::terminal_text(kHostileName, {});
  REQUIRE(spelled.find_first_of("\n\r\x1b") == std::string::npos);
  for (const auto& view : std::vector<std::vector<std::string>>{
           {"status"}, {"devices"}, {"counters"}, {"qps"}, {"check"}}) {
    INFO(view.front());
    const std::string text =
        output_of(of_tree(view, tree), {.environment = {}, .terminal_columns = 0, .output = ""});
    CHECK(text.find(spelled) != std::string::npos);
  }
  const auto document =
      nlohmann::json::parse(results_of(of_tree({"devices", "--json"}, tree), tree));
  const auto& devices = document.at("host").at("devices");
  CHECK(std::any_of(devices.begin(), devices.end(),
                    [](const auto& device) { return device.at("name") == kHostileName; }));
}

TEST_CASE("a pipe gets no colour, and ASCII where the locale knows no more") {
  const HostileTree tree;
  for (const auto& view : kViews) {
    INFO(view.front());
    const std::string plain =
        output_of(of_tree(view, tree),
                  {.environment = {{"LC_ALL", "C"}}, .terminal_columns = 0, .output = ""});
    CHECK(plain.find('\x1b') == std::string::npos);
    CHECK(std::all_of(plain.begin(), plain.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  }
}

TEST_CASE("progress is no result") {
  const test::SampleTree tree("mlx5_roce_200g");
  const std::vector<std::string> diff = of_tree({"counters", "--diff", "20ms"}, tree);
  CHECK(output_of(diff).find("reading for") != std::string::npos);
  const std::string results = results_of(diff, tree);
  CHECK(results.find("reading for") == std::string::npos);
  CHECK_FALSE(results.empty());

  const std::string nobody = results_of({"status", "--agent", "127.0.0.1:1"}, tree);
  CHECK(nobody.empty());
  CHECK(results_of({"nonsense"}, tree).empty());
}
