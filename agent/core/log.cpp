#include "agent/core/log.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace rdmadiag::core {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warn", "error"};

std::atomic<LogSink*> current_sink{nullptr};

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool needs_quotes(std::string_view value) {
  return value.empty() || std::any_of(value.begin(), value.end(), [](char c) {
           return is_control(c) || c == ' ' || c == '"' || c == '=' || c == '\\';
         });
}

void append_value(std::string& line, std::string_view value) {
  if (!needs_quotes(value)) {
    line += value;
    return;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (is_control(c)) {
      const auto byte = static_cast<unsigned char>(c);
      line += "\\x";
      line += kHex[byte >> 4];
      line += kHex[byte & 0xf];
    } else {
      line += c;
    }
  }
  line += '"';
}

}  // namespace

std::string_view log_level_name(LogLevel level) {
  return kLevelNames[static_cast<std::size_t>(level)];
}

std::optional<LogLevel> parse_log_level(std::string_view name) {
  const auto* found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevelNames.begin());
}

void set_log_sink(LogSink* sink) { current_sink.store(sink, std::memory_order_release); }

void log(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  LogSink* sink = current_sink.load(std::memory_order_acquire);
  if (sink != nullptr) sink->write(level, message, fields);
}

std::string format_logfmt(LogLevel level, std::string_view message,
                          std::span<const LogField> fields) {
  std::string line = "level=";
  line += log_level_name(level);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  line += " msg=";
  append_value(line, message);
  return line;
}

}  // namespace rdmadiag::core
