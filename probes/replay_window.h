// Which probes of a session have arrived: refuses those seen before and tells the prober what is
// missing. Sequences wrap at 2^32 (RFC 1982 arithmetic).
#pragma once

#include <cstdint>
#include <optional>

namespace rdmadiag::probes {

class ReplayWindow {
 public:
  // The bitmap for the ACK of `sequence`: bit i says that sequence − i arrived, bit 0 is set. Empty
  // when it arrived before or is too old to tell, which looks the same as a replay.
  std::optional<std::uint64_t> accept(std::uint32_t sequence);

 private:
  bool started_ = false;
  std::uint32_t highest_ = 0;
  std::uint64_t arrived_ = 0;  // bit i: highest_ − i
};

}  // namespace rdmadiag::probes
