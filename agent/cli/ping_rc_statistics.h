// What the messages of one `ping --rc` add up to. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/spread.h"
#include "probes/rc_record.h"

namespace rdmadiag::cli {

class RcPingStatistics {
 public:
  // At most `most` messages count; 0: all.
  explicit RcPingStatistics(std::uint64_t most) : most_(most) {}

  // False when it came after the last that counts.
  bool add(const probes::RcRecord& record);
  [[nodiscard]] bool complete() const { return most_ > 0 && sent() >= most_; }

  [[nodiscard]] std::uint64_t sent() const { return acknowledged_ + lost_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  // Times that it was up; that what was up ended; and that it could not even be made, although the
  // peer's agent had agreed and this host's device works.
  [[nodiscard]] std::uint64_t connected() const { return connected_; }
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] bool is_up() const { return is_up_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }  // the last one
  [[nodiscard]] std::optional<Spread> round_trip() const { return spread_of(round_trips_); }
  // Of the command.
  [[nodiscard]] int exit_code() const;

 private:
  std::uint64_t most_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t connected_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t failed_ = 0;
  bool is_up_ = false;
  std::string problem_;
  std::vector<double> round_trips_;
};

}  // namespace rdmadiag::cli
