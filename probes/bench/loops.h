// The loops that are measured, written as perftest's are, so that figures can be compared:
//   latency of send:  post, wait for the completion, wait for the answer; the time between two
//   posts latency of write: the same, but the answer is seen in memory, at the message's last byte
//   latency of read:  post, wait for the completion
//   bandwidth:        `depth` sends on their way on each queue pair, every n-th one signalled
// Used by one thread; `control` is what others say to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "probes/bench/endpoint.h"
#include "probes/bench/figures.h"
#include "probes/bench/plan.h"
#include "probes/bench/watch.h"

namespace rdmadiag::probes {

class BenchLoops {
 public:
  // All outlive it.
  BenchLoops(BenchEndpoint& endpoint, const core::Clock& clock, const BenchControl& control);

  // Before a measurement begins at either end.
  void prepare(std::uint32_t size);

  // Every round trip, or of reads every operation; at most a million. Never empty.
  [[nodiscard]] core::Result<std::vector<std::chrono::nanoseconds>> latency(
      std::uint32_t size, const BenchLimit& limit);
  // The other end of it: answers until told to stop, which is success.
  [[nodiscard]] core::Status answer(std::uint32_t size);

  // Batches as they completed, never empty. Takes what the peer sends in between.
  [[nodiscard]] core::Result<std::vector<BenchBatch>> bandwidth(std::uint32_t size,
                                                                const BenchLimit& limit);
  // Takes what the peer sends until told to stop, which is success, and nothing is left.
  [[nodiscard]] core::Status receive();

  // Messages taken since prepare().
  [[nodiscard]] std::uint64_t received() const { return received_; }

 private:
  struct Stream;
  [[nodiscard]] core::Status post(std::size_t lane, std::uint32_t size, bool signalled,
                                  bool may_inline);
  [[nodiscard]] core::Result<ibv_wc> await(BenchQueue& queue, BenchWatch& watch);
  [[nodiscard]] core::Status await_send(BenchWatch& watch);
  [[nodiscard]] core::Status await_message(std::uint32_t size, std::uint8_t expected,
                                           BenchWatch& watch);
  [[nodiscard]] core::Status post_message(std::uint32_t size, std::uint8_t number);
  [[nodiscard]] core::Status answer_once(std::uint32_t size, std::uint8_t number,
                                         BenchWatch& watch);
  [[nodiscard]] core::Status fill(std::vector<Stream>& streams, std::uint32_t size,
                                  std::uint64_t& left);
  [[nodiscard]] core::Result<std::size_t> reap(std::vector<Stream>& streams,
                                               std::vector<BenchBatch>& batches);
  [[nodiscard]] core::Status drain(std::vector<Stream>& streams, std::uint32_t size,
                                   BenchWatch& watch);
  [[nodiscard]] core::Result<std::size_t> take_receives();
  [[nodiscard]] core::Status take_rest();
  [[nodiscard]] core::Status sleep(BenchQueue& queue, BenchWatch& watch);
  [[nodiscard]] core::Status check(const ibv_wc& completion) const;
  [[nodiscard]] std::chrono::seconds patience() const;
  [[nodiscard]] core::Status explained(core::Status status) const;

  BenchEndpoint& endpoint_;
  const core::Clock& clock_;
  const BenchControl& control_;
  std::uint64_t received_ = 0;
};

}  // namespace rdmadiag::probes
