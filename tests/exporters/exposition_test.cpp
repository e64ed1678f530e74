#include "exporters/exposition.h"

#include <catch2/catch.hpp>
#include <limits>

namespace rdmadiag::exporters {
namespace {

std::string one_value(auto value) {
  std::string out;
  Exposition exposition(out);
  exposition.family("m", FamilyType::kGauge, "h");
  exposition.sample("", value);
  return out.substr(out.rfind("m "));
}

TEST_CASE("A family is a header and its samples") {
  std::string out = "before\n";
  Exposition exposition(out);
  exposition.family("rdma_x_total", FamilyType::kCounter, "Things.");
  exposition.sample("device=\"a\"", 1);
  exposition.sample("", 2.5);
  CHECK(out ==
        "before\n# HELP rdma_x_total Things.\n# TYPE rdma_x_total counter\n"
        "rdma_x_total{device=\"a\"} 1\nrdma_x_total 2.5\n");
}

TEST_CASE("A family without samples is absent") {
  std::string out;
  Exposition exposition(out);
  exposition.family("empty", FamilyType::kGauge, "Nothing.");
  exposition.family("full", FamilyType::kUntyped, "Something.");
  exposition.sample("", 0);
  CHECK(out == "# HELP full Something.\n# TYPE full untyped\nfull 0\n");
}

TEST_CASE("Numbers are exact and in the format's own words") {
  CHECK(one_value(std::numeric_limits<std::uint64_t>::max()) == "m 18446744073709551615\n");
  CHECK(one_value(-1) == "m -1\n");
  CHECK(one_value(0.01) == "m 0.01\n");
  CHECK(one_value(1e300) == "m 1e+300\n");
  CHECK(one_value(std::numeric_limits<double>::infinity()) == "m +Inf\n");
  CHECK(one_value(-std::numeric_limits<double>::infinity()) == "m -Inf\n");
  CHECK(one_value(std::numeric_limits<double>::quiet_NaN()) == "m NaN\n");
}

TEST_CASE("Label values are escaped and valid UTF-8") {
  std::string labels;
  append_label(labels, "a", "plain");
  append_label(labels, "b", "q\"b\\n\nend");
  append_label(labels, "c", "\xff\xc3\xbc");
  CHECK(labels == "a=\"plain\",b=\"q\\\"b\\\\n\\nend\",c=\"\\\\xff\xc3\xbc\"");
}

TEST_CASE("Help texts keep their quotes and lose their line ends") {
  std::string out;
  Exposition exposition(out);
  exposition.family("m", FamilyType::kGauge, "A \"b\" \\ c\nd");
  exposition.sample("", 0);
  CHECK(out == "# HELP m A \"b\" \\\\ c\\nd\n# TYPE m gauge\nm 0\n");
}

}  // namespace
}  // namespace rdmadiag::exporters
