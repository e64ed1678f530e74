// The end that measures: opens a run at the peer, takes one measurement after the other, closes the
// run. The caller's thread does the talking; what is measured runs on a thread of its own, beside
// the NIC. One thread uses it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "probes/bench/endpoint.h"
#include "probes/bench/figures.h"
#include "probes/bench/loops.h"
#include "probes/bench/message.h"
#include "probes/bench/placement.h"
#include "probes/bench/watch.h"
#include "probes/random.h"

namespace rdmadiag::probes {

// Posts JSON to the peer's path; gives the answer's.
using BenchPost =
    std::function<core::Result<std::string>(const std::string& path, const std::string& json)>;

inline constexpr const char* kBenchPath = "/api/v1/bench";
inline constexpr const char* kBenchRunPath = "/api/v1/bench/run";

struct BenchClientParts {
  std::shared_ptr<const core::Clock> clock = {};
  RandomSource random = {};
  BenchPost post = {};
  // Sleeps a little; false when the user does not want to wait any more.
  std::function<bool()> wait = {};
};

struct BenchClientOptions {
  std::string from = {};    // "host/device": how the peer calls us
  std::string device = {};  // ours
  std::uint8_t port = 1;
  std::string peer_device = {};  // empty: the peer chooses
  BenchPlan plan = {};
  BenchPlacement placement = {};
};

struct BenchMeasurement {
  BenchMetric metric = BenchMetric::kLatency;
  std::uint32_t size = 0;
  std::optional<LatencyFigures> latency = {};
  std::optional<BandwidthFigures> bandwidth = {};
  std::optional<BandwidthFigures> peer_bandwidth = {};  // of the other direction
  std::optional<std::uint64_t> received = {};  // of send: messages that arrived at the peer
};

class BenchClient {
 public:
  [[nodiscard]] static core::Result<std::unique_ptr<BenchClient>> open(BenchClientParts parts,
                                                                       BenchClientOptions options);
  // Closes the run, at the peer too where it still answers.
  ~BenchClient();
  BenchClient(const BenchClient&) = delete;
  BenchClient& operator=(const BenchClient&) = delete;

  [[nodiscard]] const BenchAnswer& peer() const { return answer_; }
  [[nodiscard]] const std::string& placement() const { return placement_; }
  [[nodiscard]] const PortView& port() const { return endpoint_->port(); }
  // Bytes that are sent inline, as far as the device grants them.
  [[nodiscard]] std::uint32_t inline_bytes() const;

  // An error with ECANCELED when the user has had enough. After any error only closing is left.
  [[nodiscard]] core::Result<BenchMeasurement> measure(BenchMetric metric, std::uint32_t size,
                                                       const BenchLimit& limit);

 private:
  struct Work;
  BenchClient(BenchClientParts parts, BenchClientOptions options);
  [[nodiscard]] core::Status set_up();
  [[nodiscard]] core::Status connect();
  [[nodiscard]] core::Result<BenchReport> say(const BenchCommand& command) const;
  void run_work(Work& work);
  [[nodiscard]] core::Status follow(Work& work);

  BenchClientParts parts_;
  BenchClientOptions options_;
  BenchAnswer answer_;
  std::string placement_;
  BenchControl control_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<BenchEndpoint> endpoint_;
};

}  // namespace rdmadiag::probes
