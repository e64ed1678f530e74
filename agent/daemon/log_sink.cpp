#include "agent/daemon/log_sink.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "agent/daemon/repeat_filter.h"

namespace rdmadiag::daemon {
namespace {

using core::LogField;
using core::LogLevel;

std::string_view journal_prefix(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "<7>";
    case LogLevel::kInfo: return "<6>";
    case LogLevel::kWarn: return "<4>";
    case LogLevel::kError: return "<3>";
  }
  return {};
}

std::string utc_time(core::SystemTime time) {
  const auto since_epoch = time.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_epoch);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch - seconds);
  const std::time_t whole = seconds.count();
  std::tm parts{};
  gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     millis.count());
}

std::string format_json(LogLevel level, std::string_view message, std::span<const LogField> fields,
                        const std::string& time) {
  nlohmann::ordered_json line;
  if (!time.empty()) line["time"] = time;
  line["level"] = core::log_level_name(level);
  for (const LogField& field : fields) line[std::string(field.key)] = field.value;
  line["msg"] = message;
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class StderrSink final : public core::LogSink {
 public:
  StderrSink(const LogSinkOptions& options, std::shared_ptr<const core::Clock> clock)
      : options_(options),
        clock_(std::move(clock)),
        logger_("rdmadiagd", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_pattern("%v");
    logger_.set_level(spdlog::level::trace);
    logger_.flush_on(spdlog::level::trace);
  }

  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    if (level < options_.level) return;
    std::vector<LogField> all(fields.begin(), fields.end());
    const std::lock_guard lock(mutex_);
    const auto held_back =
        repeats_.pass(core::format_logfmt(level, message, fields), clock_->steady());
    if (!held_back) return;
    if (*held_back > 0) all.push_back({"repeated", std::to_string(*held_back)});
    logger_.info(line(level, message, all));
  }

 private:
  [[nodiscard]] std::string line(LogLevel level, std::string_view message,
                                 std::span<const LogField> fields) const {
    const std::string time = options_.to_journal ? "" : utc_time(clock_->system());
    std::string text(options_.to_journal ? journal_prefix(level) : "");
    if (options_.format == LogFormat::kJson)
      return text + format_json(level, message, fields, time);
    if (!time.empty()) text += "time=" + time + ' ';
    return text + core::format_logfmt(level, message, fields);
  }

  LogSinkOptions options_;
  std::shared_ptr<const core::Clock> clock_;
  std::mutex mutex_;
  RepeatFilter repeats_{{}};
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<core::LogSink> make_log_sink(const LogSinkOptions& options,
                                             std::shared_ptr<const core::Clock> clock) {
  return std::make_unique<StderrSink>(options, std::move(clock));
}

bool is_journal(int fd, const char* journal_stream) {
  struct stat status {};
  if (journal_stream == nullptr || fstat(fd, &status) != 0) return false;
  return std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino) == journal_stream;
}

}  // namespace rdmadiag::daemon
