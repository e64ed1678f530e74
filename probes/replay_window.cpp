#include "probes/replay_window.h"

namespace rdmadiag::probes {
namespace {

constexpr std::uint32_t kWidth = 64;
constexpr std::uint32_t kHalf = 0x80000000;

}  // namespace

std::optional<std::uint64_t> ReplayWindow::accept(std::uint32_t sequence) {
  const std::uint32_t ahead = sequence - highest_;
  if (!started_ || (ahead != 0 && ahead < kHalf)) {
    arrived_ = !started_ || ahead >= kWidth ? 1 : arrived_ << ahead | 1;
    started_ = true;
    highest_ = sequence;
    return arrived_;
  }
  const std::uint32_t behind = highest_ - sequence;
  if (behind >= kWidth || (arrived_ >> behind & 1) != 0) return std::nullopt;
  arrived_ |= std::uint64_t{1} << behind;
  return arrived_ >> behind;
}

}  // namespace rdmadiag::probes
