// A file of one short value, kept open between reads: one system call a value, or a batch. A
// descriptor that says the device has gone is closed and the path tried once more, since the driver
// may have come back; what keeps failing is left alone for a while.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "agent/core/snapshot.h"
#include "agent/host/backoff.h"
#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"

namespace rdmadiag::host {

class ValueFile {
 public:
  // Whether a missing file is an issue, or just a value that this driver or kernel does not have.
  enum class Presence : std::uint8_t { kExpected, kOptional };

  // The session must outlive the file.
  ValueFile(ReadSession& session, std::string path, Presence presence = Presence::kExpected)
      : session_(&session), path_(std::move(path)), presence_(presence) {}
  ~ValueFile() { close(); }
  ValueFile(ValueFile&& other) noexcept;
  ValueFile& operator=(ValueFile&& other) noexcept;

  [[nodiscard]] ReadOutcome read();
  // Takes part in the session's batch where it is open and not to be left alone: read() then gives
  // what the batch has read.
  void join_batch();
  // The content was not what it should be; counts as a failure.
  void reject() { backoff_.record_failure(session_->now(), core::IssueReason::kParse, 0); }
  void accept() { backoff_.record_success(); }
  // Look again for a file that was absent.
  void forget_absence() { absent_ = false; }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ReadOutcome read_now();
  ReadOutcome read_descriptor();
  ReadOutcome open_and_read();
  void close();

  static constexpr std::uint16_t kUsualRoom = 64;

  ReadSession* session_;
  std::string path_;
  int descriptor_ = -1;
  Backoff backoff_;
  Presence presence_;
  bool absent_ = false;
  std::uint16_t room_ = kUsualRoom;  // in a batch
  ReadSession::BatchPlace place_;
};

// Reads the open ones of `files` (pointers; nulls are passed over) in one batch: each one's read()
// that follows gives what this has read.
void read_at_once(ReadSession& session, std::span<ValueFile* const> files);

// The value of `file` by `parse` (string_view → optional), or nothing and an entry in `issues`.
template <class Parse>
auto read_value(ValueFile& file, core::Source source, IssueLog& issues, Parse parse)
    -> decltype(parse(std::string_view())) {
  const ReadOutcome outcome = file.read();
  if (outcome.ok()) {
    if (auto value = parse(outcome.text)) {
      file.accept();
      return value;
    }
    file.reject();
    issues.add_parse_error(source, file.path(), outcome.text);
  } else {
    issues.add_outcome(source, file.path(), outcome);
  }
  return std::nullopt;
}

}  // namespace rdmadiag::host
