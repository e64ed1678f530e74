// The agent's own process, for process_* metrics.
#pragma once

#include <filesystem>

#include "agent/core/agent_status.h"
#include "agent/core/unique_fd.h"

namespace rdmadiag::daemon {

// Any thread may call read(); what cannot be read stays empty.
class ProcessReader {
 public:
  // `proc` is the procfs this process is in (not the one of --path.procfs, which may be a host's
  // seen from a container).
  explicit ProcessReader(std::filesystem::path proc);

  [[nodiscard]] core::ProcessStats read() const;

 private:
  std::filesystem::path proc_;
  // Kept open: opening costs as much as reading. /proc/self/stat has it all, but the kernel walks
  // every thread to make it.
  core::UniqueFd memory_;
  core::UniqueFd threads_;                    // the folder
  core::UniqueFd descriptors_;                // the folder, where it tells their number; else none
  std::optional<double> start_time_seconds_;  // since the epoch
};

}  // namespace rdmadiag::daemon
