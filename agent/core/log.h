// How every part says something to the operator. The program's main sets one sink at start; before
// that, and in tests that set none, messages go nowhere. Whoever decides that something is an error
// logs it, once; states are not logged, changes of state are. Any thread may call.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rdmadiag::core {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

[[nodiscard]] std::string_view log_level_name(LogLevel level);  // "warn"
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view name);

// A key of the line, e.g. {"device", "mlx5_0"}. Keys are ours, values may hold anything.
struct LogField {
  std::string_view key;
  std::string value;
};

class LogSink {
 public:
  virtual ~LogSink() = default;
  // Called by any thread, also at the same time.
  virtual void write(LogLevel level, std::string_view message,
                     std::span<const LogField> fields) = 0;
};

// `sink` must outlive every thread that may still log; null drops what follows.
void set_log_sink(LogSink* sink);

void log(LogLevel level, std::string_view message, std::span<const LogField> fields);

inline void log(LogLevel level, std::string_view message,
                std::initializer_list<LogField> fields = {}) {
  log(level, message, std::span(fields.begin(), fields.size()));
}

inline void log_debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::kDebug, message, fields);
}
inline void log_info(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::kInfo, message, fields);
}
inline void log_warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::kWarn, message, fields);
}
inline void log_error(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::kError, message, fields);
}

// `device=mlx5_0 msg="it failed"`: values with blanks, quotes, '=' or control characters are quoted
// and escaped, so that one message is one line whatever a device is called.
[[nodiscard]] std::string format_logfmt(LogLevel level, std::string_view message,
                                        std::span<const LogField> fields);

}  // namespace rdmadiag::core
