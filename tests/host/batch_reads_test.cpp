#include <fcntl.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "agent/core/unique_fd.h"
#include "agent/host/file_reader.h"
#include "agent/host/read_session.h"
#include "tests/host/host_fixture.h"

using namespace rdmadiag::host;
using rdmadiag::core::UniqueFd;
using rdmadiag::test::HostFixture;
using rdmadiag::test::HostPointer;
using rdmadiag::test::SampleTree;

namespace {

// Open files of a tree and room for what is in them.
class OpenFiles {
 public:
  static constexpr std::size_t kRoom = 64;

  void add(const std::filesystem::path& path) { add(UniqueFd(open(path.c_str(), O_RDONLY))); }
  void add(UniqueFd descriptor) {
    descriptors_.push_back(std::move(descriptor));
    rooms_.emplace_back();
  }
  std::vector<FileRead> reads() {
    std::vector<FileRead> reads;
    for (std::size_t i = 0; i < rooms_.size(); ++i)
      reads.push_back({.descriptor = descriptors_[i].get(), .into = rooms_[i]});
    return reads;
  }

 private:
  std::vector<UniqueFd> descriptors_;
  std::vector<std::array<char, kRoom>> rooms_;
};

std::string text_of(const FileRead& read) {
  return read.count < 0 ? "error " + std::to_string(-read.count)
                        : std::string(read.into.data(), static_cast<std::size_t>(read.count));
}

}  // namespace

TEST_CASE("any number of files is read at once, and anew each time") {
  constexpr std::size_t kFiles = 150;
  SampleTree tree;
  OpenFiles files;
  const auto write_all = [&](const std::string& word) {
    for (std::size_t i = 0; i < kFiles; ++i)
      tree.write("sys/" + std::to_string(i), word + std::to_string(i) + "\n");
  };
  write_all("before");
  for (std::size_t i = 0; i < kFiles; ++i) files.add(tree.sys() / std::to_string(i));
  BatchReads batches;
  for (const std::string word : {"before", "after"}) {
    write_all(word);
    std::vector<FileRead> reads = files.reads();
    REQUIRE(batches.read(reads) == kFiles);
    for (std::size_t i = 0; i < kFiles; ++i)
      CHECK(text_of(reads[i]) == word + std::to_string(i) + "\n");
  }
}

TEST_CASE("what cannot be read in a batch is read by itself, and hides nothing") {
  SampleTree tree;
  tree.write("sys/a", "1\n");
  tree.write("sys/b", "2\n");
  tree.write("sys/long", std::string(100, 'x'));
  OpenFiles files;
  const bool refused_first = GENERATE(false, true);
  if (!refused_first) files.add(tree.sys() / "a");
  files.add(tree.sys());  // a directory: the kernel refuses it
  files.add(tree.sys() / "b");
  files.add(UniqueFd());
  files.add(tree.sys() / "long");
  files.add(tree.sys() / "a");
  SystemFileReader reader;
  for (int round = 0; round < 2; ++round) {
    std::vector<FileRead> reads = files.reads();
    reader.read_many_from_start(reads);
    if (!refused_first) CHECK(text_of(reads.front()) == "1\n");
    const std::span rest = std::span(reads).last(5);
    CHECK(rest[0].count == -EISDIR);
    CHECK(text_of(rest[1]) == "2\n");
    CHECK(rest[2].count == -EBADF);
    CHECK(text_of(rest[3]) == std::string(OpenFiles::kRoom, 'x'));
    CHECK(text_of(rest[4]) == "1\n");
  }
}

TEST_CASE("what a batch has read is good until the next") {
  SampleTree tree;
  tree.write("sys/a", "1\n");
  ReadSession session(std::make_shared<SystemFileReader>(),
                      std::make_shared<rdmadiag::test::ManualClock>(),
                      std::make_shared<DescriptorBudget>(10));
  const UniqueFd file(open((tree.sys() / "a").c_str(), O_RDONLY));
  const auto read = [&](std::size_t room) {
    session.begin_batch();
    const auto place = session.join_batch(file.get(), room);
    session.run_batch();
    return place;
  };
  session.begin();
  const auto place = read(3);
  REQUIRE(session.outcome_of(place));
  CHECK(session.outcome_of(place)->text == "1\n");
  SECTION("of the same device") { (void)read(3); }
  SECTION("of another read") { session.begin(); }
  CHECK_FALSE(session.outcome_of(place));
  CHECK_FALSE(session.outcome_of({}));
  CHECK_FALSE(session.outcome_of(read(2)));  // may be longer
}

TEST_CASE("files read in batches give what files read one by one give") {
  const std::string name =
      GENERATE(as<std::string>{}, "mlx5_ib_ndr", "mlx5_roce_200g", "bnxt_re_6_18");
  HostFixture fixture(name);
  const auto one_by_one = fixture.make();
  CollectorParts parts;
  parts.clock = fixture.clock;
  Collector batched({fixture.tree.sys(), fixture.tree.proc(), fixture.tree.dev()}, fixture.options,
                    parts);
  for (int round = 0; round < 3; ++round) {
    const HostPointer expected = one_by_one->collect();
    const HostPointer found = batched.collect();
    REQUIRE(found->devices.size() == expected->devices.size());
    for (const auto& entry : expected->devices) {
      INFO(entry.name);
      const auto& a = *entry.snapshot;
      const auto& b = rdmadiag::test::device_of(*found, entry.name);
      CHECK(b.issues.size() == a.issues.size());
      CHECK(b.pcie.aer_correctable == a.pcie.aer_correctable);
      CHECK(b.pcie.aer_nonfatal == a.pcie.aer_nonfatal);
      REQUIRE(b.ports.size() == a.ports.size());
      for (std::size_t p = 0; p < a.ports.size(); ++p) {
        CHECK(b.ports[p].state == a.ports[p].state);
        CHECK(b.ports[p].lid == a.ports[p].lid);
        REQUIRE(b.ports[p].counters.size() == a.ports[p].counters.size());
        for (std::size_t c = 0; c < a.ports[p].counters.size(); ++c) {
          CHECK(b.ports[p].counters[c].name() == a.ports[p].counters[c].name());
          CHECK(b.ports[p].counters[c].value == a.ports[p].counters[c].value);
        }
      }
      REQUIRE(b.netdevs.size() == a.netdevs.size());
      for (std::size_t n = 0; n < a.netdevs.size(); ++n)
        CHECK(b.netdevs[n].statistics == a.netdevs[n].statistics);
    }
    if (name == "mlx5_roce_200g") fixture.tree.overlay("mlx5_roce_200g_t30s");
    fixture.pass();
  }
}

TEST_CASE("a value that grows past its room in the batch is still read whole") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  (void)collector->collect();
  const std::string counter = "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error";
  for (const auto& [content, value] :
       {std::pair(std::string(100, '0') + "7\n", 7U), std::pair(std::string(3000, '0') + "8\n", 8U),
        std::pair(std::string("9\n"), 9U)}) {
    fixture.tree.write(counter, content);
    for (int round = 0; round < 2; ++round) {
      fixture.pass();
      const HostPointer host = collector->collect();
      const auto& port = rdmadiag::test::port_of(*host, "mlx5_0");
      CHECK(rdmadiag::test::value_of(port.counters, "symbol_error") == value);
    }
  }
}
