#include "agent/host/read_session.h"

#include <numeric>
#include <utility>

namespace rdmadiag::host {

ReadOutcome failed(int error_number) {
  ReadOutcome outcome;
  outcome.kind = ReadOutcome::Kind::kFailed;
  outcome.reason = core::classify_errno(error_number);
  outcome.error_number = error_number;
  return outcome;
}

ReadSession::ReadSession(std::shared_ptr<FileReader> files,
                         std::shared_ptr<const core::Clock> clock,
                         std::shared_ptr<DescriptorBudget> budget)
    : files_(std::move(files)), clock_(std::move(clock)), budget_(std::move(budget)) {}

void ReadSession::begin() {
  now_ = clock_->steady();
  vanished_ = false;
  begin_batch();
}

ReadOutcome ReadSession::read_once(const std::string& path) {
  const int descriptor = files_->open(path);
  if (descriptor < 0) return failed(-descriptor);
  const ReadOutcome outcome = read_open(descriptor);
  files_->close(descriptor);
  return outcome;
}

ReadOutcome ReadSession::read_open(int descriptor) {
  const std::ptrdiff_t count = files_->read_from_start(descriptor, buffer_);
  if (count < 0) return failed(static_cast<int>(-count));
  ReadOutcome outcome;
  outcome.text = std::string_view(buffer_.data(), static_cast<std::size_t>(count));
  if (outcome.text.size() > kMaxValueSize) {
    outcome.kind = ReadOutcome::Kind::kFailed;
    outcome.reason = core::IssueReason::kParse;
  }
  return outcome;
}

void ReadSession::begin_batch() {
  ++batch_;
  batch_reads_.clear();
  batch_rooms_.clear();
}

ReadSession::BatchPlace ReadSession::join_batch(int descriptor, std::size_t room) {
  batch_reads_.push_back({.descriptor = descriptor, .into = {}});
  batch_rooms_.push_back(room);
  return {batch_, static_cast<std::uint32_t>(batch_reads_.size() - 1)};
}

void ReadSession::run_batch() {
  const std::size_t room =
      std::accumulate(batch_rooms_.begin(), batch_rooms_.end(), std::size_t{0});
  if (batch_buffer_.size() < room) batch_buffer_.resize(room);
  std::span<char> left(batch_buffer_);
  for (std::size_t i = 0; i < batch_reads_.size(); ++i) {
    batch_reads_[i].into = left.first(batch_rooms_[i]);
    left = left.subspan(batch_rooms_[i]);
  }
  files_->read_many_from_start(batch_reads_);
}

std::optional<ReadOutcome> ReadSession::outcome_of(BatchPlace place) const {
  if (place.batch == 0 || place.batch != batch_) return std::nullopt;
  const FileRead& read = batch_reads_[place.index];
  if (read.count < 0) return failed(static_cast<int>(-read.count));
  const auto size = static_cast<std::size_t>(read.count);
  if (size >= read.into.size()) return std::nullopt;
  ReadOutcome outcome;
  outcome.text = std::string_view(read.into.data(), size);
  return outcome;
}

}  // namespace rdmadiag::host
