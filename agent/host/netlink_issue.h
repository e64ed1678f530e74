// How a question the kernel did not answer is listed among a device's issues.
#pragma once

#include <string>

#include "agent/core/result.h"
#include "agent/host/issue_log.h"

namespace rdmadiag::host {

enum class Counted : std::uint8_t {
  kYes,
  kNo,  // listed only: not supported, no right, or asked earlier
};

// `question` names the interface, the thing and what was asked: "ethtool eth2: FEC_GET".
void note_unanswered(IssueLog& issues, core::Source source, std::string question,
                     const core::Error& error, Counted counted = Counted::kYes);

// The driver, the kernel or our rights: the same answer until something changes.
[[nodiscard]] bool is_refusal(const core::Error& error);

}  // namespace rdmadiag::host
