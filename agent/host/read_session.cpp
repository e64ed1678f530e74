#include "agent/host/read_session.h"

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

}  // namespace rdmadiag::host
