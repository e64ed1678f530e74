#include "agent/cli/ping_rc_statistics.h"

#include <chrono>

#include "agent/cli/world.h"

namespace rdmadiag::cli {

using Kind = probes::RcRecord::Kind;

bool RcPingStatistics::add(const probes::RcRecord& record) {
  if (complete()) return false;
  switch (record.kind) {
    case Kind::kUp:
      ++connected_;
      is_up_ = true;
      break;
    case Kind::kAcknowledged:
      ++acknowledged_;
      if (record.round_trip)
        round_trips_.push_back(std::chrono::duration<double>(*record.round_trip).count());
      break;
    case Kind::kLost: ++lost_; break;
    case Kind::kNotAgreed:
    case Kind::kBroken:
    case Kind::kLocal:
      if (is_up_) ++ended_;
      if (!is_up_ && record.kind == Kind::kBroken) ++failed_;
      is_up_ = false;
      problem_ = record.problem;
      break;
  }
  return true;
}

int RcPingStatistics::exit_code() const {
  if (acknowledged_ == 0) return lost_ + failed_ > 0 ? kExitCritical : kExitUnknown;
  return lost_ + ended_ == 0 ? kExitFine : kExitWarning;
}

}  // namespace rdmadiag::cli
