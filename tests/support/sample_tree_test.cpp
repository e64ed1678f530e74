#include "tests/support/sample_tree.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

using namespace rdmadiag::test;

namespace {

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("a sample tree holds the bytes of its rows") {
  const SampleTree tree("broken_odd_values");
  const auto device = tree.sys() / "class/infiniband/mlx5_0";
  CHECK(content(device / "node_desc") == "bad \xff\xfe \"quoted\" \\back\tTab\n");
  CHECK(content(device / "ports/1/counters/port_rcv_errors").empty());
  CHECK(content(device / "ports/1/hw_counters/name with space") == "3\n");
  CHECK(std::filesystem::is_directory(tree.sys() / "class/infiniband/empty_dev"));
  CHECK(std::filesystem::is_empty(tree.sys() / "class/infiniband/empty_dev"));
}

TEST_CASE("an overlay changes files in place") {
  SampleTree tree("mlx5_roce_200g");
  const auto file =
      tree.sys() / "class/infiniband/mlx5_1/ports/1/hw_counters/np_ecn_marked_roce_packets";
  const std::string before = content(file);
  tree.overlay("mlx5_roce_200g_t30s");
  CHECK(content(file) != before);
}

TEST_CASE("every case but the overlays is named") {
  const auto names = sample_tree_names();
  CHECK(names.size() == 22);
  CHECK(std::count(names.begin(), names.end(), "no_rdma") == 1);
  CHECK(std::count(names.begin(), names.end(), "mlx5_roce_200g_t30s") == 0);
  CHECK_THROWS(SampleTree("no_such_case"));
}

TEST_CASE("a temporary folder goes with its owner") {
  std::filesystem::path path;
  {
    const TempDir directory;
    path = directory.path();
    CHECK(std::filesystem::exists(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
