// Where the daemon's messages go: stderr, one line each, by spdlog (which stays in the .cpp).
#pragma once

#include <memory>

#include "agent/core/clock.h"
#include "agent/core/log.h"
#include "agent/daemon/options.h"

namespace rdmadiag::daemon {

struct LogSinkOptions {
  core::LogLevel level = core::LogLevel::kInfo;
  LogFormat format = LogFormat::kLogfmt;
  // stderr is the journal's: "<4>" before each line, and no time, which the journal adds itself.
  bool to_journal = false;
};

[[nodiscard]] std::unique_ptr<core::LogSink> make_log_sink(
    const LogSinkOptions& options, std::shared_ptr<const core::Clock> clock);

// True when the descriptor is the stream that JOURNAL_STREAM (the second argument, may be null)
// names as "device:inode".
[[nodiscard]] bool is_journal(int fd, const char* journal_stream);

}  // namespace rdmadiag::daemon
