// Answers those who want to measure against this host: opens runs where that is allowed, one or a
// few at a time, and passes on what is said about them. Knows nothing of HTTP; any thread may call.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/enums.h"
#include "probes/bench/session.h"
#include "probes/random.h"

namespace rdmadiag::probes {

struct BenchPermission {
  bool enabled = false;
  std::chrono::seconds most{30};  // of one run
  std::size_t most_concurrent = 1;
  // Why not, where it is not enabled.
  std::string refusal = "bench.enabled is false in this agent's configuration";
};

struct BenchPort {
  std::string device = {};
  std::uint8_t port = 1;
  core::Protocol protocol = core::Protocol::kUnknown;
};

struct BenchServiceParts {
  std::shared_ptr<const core::Clock> clock = {};
  RandomSource random = {};
  std::function<BenchPermission()> permission = {};
  // The active ports that may be used.
  std::function<std::vector<BenchPort>()> ports = {};
  BenchPlacement placement = {};
  // Told when a run begins and ends, in one line; may be empty.
  std::function<void(const std::string&)> tell = {};
};

// What goes back over the control channel: an HTTP status, and JSON where it is 200, else one line.
struct BenchResponse {
  int status = 200;
  std::string body = {};
};

class BenchService {
 public:
  explicit BenchService(BenchServiceParts parts) : parts_(std::move(parts)) {}

  // Of POST /api/v1/bench: an offer.
  [[nodiscard]] BenchResponse open(std::string_view body);
  // Of POST /api/v1/bench/run: a command.
  [[nodiscard]] BenchResponse act(std::string_view body);
  // Ends every run.
  void stop();
  [[nodiscard]] std::size_t runs();

 private:
  struct Run {
    std::string from = {};
    std::shared_ptr<BenchSession> session = {};
  };
  using Runs = std::map<std::string, Run>;
  [[nodiscard]] core::Result<BenchPort> choose(const BenchOffer& offer) const;
  void forget_finished(Runs& ended);
  [[nodiscard]] std::string new_name() const;
  [[nodiscard]] std::function<void(const std::string&)> ended_line(const std::string& from) const;
  void tell(const std::string& line) const {
    if (parts_.tell) parts_.tell(line);
  }

  BenchServiceParts parts_;
  std::mutex mutex_;
  Runs runs_;
};

}  // namespace rdmadiag::probes
