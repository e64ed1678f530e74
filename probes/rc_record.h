// What became of the messages of an RC connection and of the connection itself, one by one, for the
// one who pings.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace rdmadiag::probes {

struct RcRecord {
  enum class Kind : std::uint8_t {
    kUp,            // something was acknowledged for the first time
    kAcknowledged,  // a message
    kLost,          // a message
    kNotAgreed,     // the peer's agent could not be asked for a connection, or refused
    kBroken,        // the connection failed, or could not be made with what the peer said
    kLocal,         // the same, and this host's device is to blame
  };
  Kind kind = Kind::kUp;
  // Of what was acknowledged; empty when this host did not run meanwhile.
  std::optional<std::chrono::nanoseconds> round_trip;
  std::string problem;  // of the last three kinds
};

}  // namespace rdmadiag::probes
