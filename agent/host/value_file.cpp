#include "agent/host/value_file.h"

#include <algorithm>
#include <cerrno>

namespace rdmadiag::host {
namespace {

bool says_gone(const ReadOutcome& outcome) {
  return outcome.error_number == ENODEV || outcome.error_number == ENOENT ||
         outcome.error_number == ENXIO;
}

}  // namespace

ValueFile::ValueFile(ValueFile&& other) noexcept
    : session_(other.session_),
      path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      backoff_(other.backoff_),
      presence_(other.presence_),
      absent_(other.absent_),
      room_(other.room_) {}

ValueFile& ValueFile::operator=(ValueFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  session_ = other.session_;
  path_ = std::move(other.path_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  backoff_ = other.backoff_;
  presence_ = other.presence_;
  absent_ = other.absent_;
  room_ = other.room_;
  place_ = {};
  return *this;
}

ReadOutcome ValueFile::read() {
  ReadOutcome outcome;
  if (absent_) {
    outcome.kind = ReadOutcome::Kind::kAbsent;
    return outcome;
  }
  if (backoff_.must_wait(session_->now())) {
    outcome.kind = ReadOutcome::Kind::kBackingOff;
    outcome.reason = backoff_.reason();
    outcome.error_number = backoff_.error_number();
    return outcome;
  }
  outcome = read_now();
  if (outcome.ok()) return outcome;
  if (presence_ == Presence::kOptional && outcome.error_number == ENOENT) {
    absent_ = true;
    outcome.kind = ReadOutcome::Kind::kAbsent;
    return outcome;
  }
  backoff_.record_failure(session_->now(), outcome.reason, outcome.error_number);
  return outcome;
}

ReadOutcome ValueFile::read_now() {
  if (descriptor_ < 0) return open_and_read();
  const ReadOutcome outcome = read_descriptor();
  if (outcome.ok() || !says_gone(outcome)) return outcome;
  close();
  session_->note_vanished();
  return open_and_read();
}

ReadOutcome ValueFile::read_descriptor() {
  if (const auto batched = session_->outcome_of(std::exchange(place_, {}))) return *batched;
  const ReadOutcome outcome = session_->read_open(descriptor_);
  if (outcome.text.size() >= room_) {
    const std::size_t wanted = 2 * outcome.text.size();
    room_ = static_cast<std::uint16_t>(std::min(wanted, ReadSession::kMaxValueSize + 1));
  }
  return outcome;
}

void ValueFile::join_batch() {
  if (descriptor_ < 0 || absent_ || backoff_.must_wait(session_->now())) return;
  place_ = session_->join_batch(descriptor_, room_);
}

ReadOutcome ValueFile::open_and_read() {
  const int descriptor = session_->files().open(path_);
  if (descriptor < 0) return failed(-descriptor);
  const ReadOutcome outcome = session_->read_open(descriptor);
  if (!outcome.ok() || !session_->budget().take()) {
    session_->files().close(descriptor);
  } else {
    descriptor_ = descriptor;
  }
  return outcome;
}

void ValueFile::close() {
  if (descriptor_ < 0) return;
  session_->files().close(descriptor_);
  session_->budget().give_back();
  descriptor_ = -1;
}

void read_at_once(ReadSession& session, std::span<ValueFile* const> files) {
  session.begin_batch();
  for (ValueFile* const file : files) {
    if (file != nullptr) file->join_batch();
  }
  session.run_batch();
}

}  // namespace rdmadiag::host
