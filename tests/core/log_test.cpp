#include "agent/core/log.h"

#include <catch2/catch.hpp>
#include <vector>

namespace rdmadiag::core {
namespace {

std::string line(std::string_view message, std::vector<LogField> fields = {}) {
  return format_logfmt(LogLevel::kWarn, message, fields);
}

TEST_CASE("a log line is key=value with the message last") {
  CHECK(line("stuck", {{"device", "mlx5_0"}, {"port", "1"}}) ==
        "level=warn device=mlx5_0 port=1 msg=stuck");
  CHECK(line("it is stuck") == "level=warn msg=\"it is stuck\"");
}

TEST_CASE("hostile values stay on one line and in their quotes") {
  CHECK(line("x", {{"device", ""}}) == "level=warn device=\"\" msg=x");
  CHECK(line("x", {{"device", "a\nlevel=error msg=forged"}}) ==
        "level=warn device=\"a\\nlevel=error msg=forged\" msg=x");
  CHECK(line("x", {{"device", "a\"b\\c"}}) == "level=warn device=\"a\\\"b\\\\c\" msg=x");
  CHECK(line("x", {{"device", "\x1b[31m"}}) == "level=warn device=\"\\x1b[31m\" msg=x");
}

TEST_CASE("level names are parsed back") {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError})
    CHECK(parse_log_level(log_level_name(level)) == level);
  CHECK_FALSE(parse_log_level("loud"));
}

TEST_CASE("messages go to the sink that is set, and nowhere without one") {
  struct Recorder final : LogSink {
    void write(LogLevel level, std::string_view message,
               std::span<const LogField> fields) override {
      lines.push_back(format_logfmt(level, message, fields));
    }
    std::vector<std::string> lines;
  } recorder;
  log_error("before");
  set_log_sink(&recorder);
  log_info("during", {{"device", "rxe0"}});
  set_log_sink(nullptr);
  log_error("after");
  CHECK(recorder.lines == std::vector<std::string>{"level=info device=rxe0 msg=during"});
}

}  // namespace
}  // namespace rdmadiag::core
