#include "probes/rate_governor.h"

namespace rdmadiag::probes {
namespace {

constexpr int kCalmPeriods = 3;
constexpr double kMargin = 0.8;  // of the limit, so that a step up does not bring the step down

}  // namespace

double RateGovernor::update(std::chrono::nanoseconds cpu, core::SteadyTime now) {
  const std::optional<Reading> before = last_;
  last_ = Reading{cpu, now};
  if (!before || now <= before->at || cpu < before->cpu) return factor();
  const std::chrono::duration<double> used = cpu - before->cpu;
  const std::chrono::duration<double> passed = now - before->at;
  const double share = used / passed;
  if (share > max_share_) {
    calm_periods_ = 0;
    if (step_ + 1 < kFactors.size()) ++step_;
    return factor();
  }
  if (step_ == 0) return factor();
  const double share_after = share * kFactors[step_ - 1] / kFactors[step_];
  calm_periods_ = share_after <= max_share_ * kMargin ? calm_periods_ + 1 : 0;
  if (calm_periods_ == kCalmPeriods) {
    calm_periods_ = 0;
    --step_;
  }
  return factor();
}

}  // namespace rdmadiag::probes
