// What the sink writes to the real stderr, through a file put in its place.
#include "agent/daemon/log_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/core/unique_fd.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::daemon {
namespace {

using core::LogField;
using core::LogLevel;
using namespace std::chrono_literals;

class StderrCapture {
 public:
  StderrCapture() : saved_(dup(STDERR_FILENO)) {
    const core::UniqueFd file(
        open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    dup2(file.get(), STDERR_FILENO);
  }
  ~StderrCapture() { restore(); }

  std::string take() {
    restore();
    std::ifstream stream(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  [[nodiscard]] std::string path() const { return (folder_.path() / "stderr").string(); }
  void restore() {
    if (saved_) dup2(saved_.get(), STDERR_FILENO);
    saved_.reset();
  }

  test::TempDir folder_;
  core::UniqueFd saved_;
};

void write(core::LogSink& sink, LogLevel level, std::string_view message,
           std::vector<LogField> fields = {}) {
  sink.write(level, message, fields);
}

TEST_CASE("logfmt lines carry the time, the level filters") {
  const auto clock = std::make_shared<test::ManualClock>();
  StderrCapture capture;
  const auto sink = make_log_sink({.level = LogLevel::kWarn}, clock);
  write(*sink, LogLevel::kInfo, "quiet");
  clock->advance(1500ms);
  write(*sink, LogLevel::kError, "lost it", {{"device", "mlx5 0"}});
  CHECK(capture.take() ==
        "time=2026-01-01T00:00:01.500Z level=error device=\"mlx5 0\" msg=\"lost it\"\n");
}

TEST_CASE("the journal gets priorities and no time") {
  StderrCapture capture;
  const auto sink = make_log_sink({.level = LogLevel::kDebug, .to_journal = true},
                                  std::make_shared<test::ManualClock>());
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError})
    write(*sink, level, "x");
  CHECK(capture.take() ==
        "<7>level=debug msg=x\n<6>level=info msg=x\n<4>level=warn msg=x\n<3>level=error msg=x\n");
}

TEST_CASE("json lines are valid whatever a value holds") {
  StderrCapture capture;
  const auto sink = make_log_sink({.format = LogFormat::kJson, .to_journal = false},
                                  std::make_shared<test::ManualClock>());
  write(*sink, LogLevel::kWarn, "odd", {{"device", "a\"\n\xff"}});
  const auto line = nlohmann::json::parse(capture.take());
  CHECK(line.at("level") == "warn");
  CHECK(line.at("msg") == "odd");
  CHECK(line.at("device") == "a\"\n\xef\xbf\xbd");
  CHECK(line.at("time") == "2026-01-01T00:00:00.000Z");
}

TEST_CASE("repeats are held back and counted") {
  const auto clock = std::make_shared<test::ManualClock>();
  StderrCapture capture;
  const auto sink = make_log_sink({.to_journal = true}, clock);
  for (int i = 0; i < 9; ++i) write(*sink, LogLevel::kWarn, "again");
  clock->advance(61s);
  write(*sink, LogLevel::kWarn, "again");
  const std::string line = "<4>level=warn msg=again\n";
  CHECK(capture.take() ==
        line + line + line + line + line + "<4>level=warn repeated=4 msg=again\n");
}

TEST_CASE("the journal's stream is known by its device and inode") {
  const core::UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  struct stat status {};
  REQUIRE(fstat(null.get(), &status) == 0);
  const std::string stream = std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
  CHECK(is_journal(null.get(), stream.c_str()));
  CHECK_FALSE(is_journal(null.get(), nullptr));
  CHECK_FALSE(is_journal(null.get(), "1:2"));
  CHECK_FALSE(is_journal(-1, "1:2"));
}

}  // namespace
}  // namespace rdmadiag::daemon
