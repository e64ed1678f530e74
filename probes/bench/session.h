// The end of a run that is asked: a thread of its own that owns the device, the queue pairs and the
// memory, and does what the end that measures says. It ends, and releases everything, when that end
// closes the run, has not been heard of for a while, or the run takes too long. Any thread may
// call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "probes/bench/endpoint.h"
#include "probes/bench/loops.h"
#include "probes/bench/message.h"
#include "probes/bench/placement.h"
#include "probes/bench/watch.h"

namespace rdmadiag::probes {

struct BenchSessionOptions {
  std::string device = {};  // ours
  std::uint8_t port = 1;
  BenchPlacement placement = {};
  std::chrono::seconds most{30};    // of the whole run
  std::chrono::seconds silence{5};  // then the other end has gone
  // Told on the session's thread why it has ended, once nothing of it exists any more; may be
  // empty.
  std::function<void(const std::string&)> ended = {};
};

class BenchSession {
 public:
  // `offer` was decoded, which checks its ranges only.
  BenchSession(BenchSessionOptions options, BenchOffer offer, RandomSource random,
               std::shared_ptr<const core::Clock> clock);
  ~BenchSession();
  BenchSession(const BenchSession&) = delete;
  BenchSession& operator=(const BenchSession&) = delete;

  // What the other end has to know to connect; why it cannot. Waits for the thread.
  struct Opened {
    BenchEnds ends;
    std::string placement = {};
  };
  [[nodiscard]] core::Result<Opened> opened();
  // The report's problem says what is wrong.
  [[nodiscard]] BenchReport act(const BenchCommand& command);
  // Ends it without waiting.
  void close();
  // Nothing of it exists any more.
  [[nodiscard]] bool finished() const;

 private:
  enum class State { kOpening, kIdle, kMeasuring, kFinished };

  void run();
  [[nodiscard]] core::Status set_up(std::unique_ptr<BenchEndpoint>& endpoint);
  [[nodiscard]] core::Status serve(BenchEndpoint& endpoint);
  [[nodiscard]] core::Status measure(BenchLoops& loops, const BenchCommand& command);
  [[nodiscard]] core::Status wait_until_told();
  [[nodiscard]] core::Status wait_until_connected(BenchEndpoint& endpoint);
  void finish(const core::Status& status);
  [[nodiscard]] bool start(BenchLoops& loops, const BenchCommand& command);
  [[nodiscard]] BenchReport begin(const BenchCommand& command, std::unique_lock<std::mutex>& hold);
  void heard();

  const BenchSessionOptions options_;
  const BenchOffer offer_;
  const RandomSource random_;
  const std::shared_ptr<const core::Clock> clock_;
  const core::SteadyTime last_moment_;
  BenchControl control_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kOpening;
  std::optional<Opened> opened_;
  std::optional<BenchCommand> next_;  // what the thread shall measure
  BenchReport report_;                // of the last measurement
  std::string problem_;               // why it has finished
  bool sending_ = false;              // measures its own direction
  bool closing_ = false;
  std::optional<Device> device_;  // the thread's
  std::jthread thread_;           // last: joined before what it uses is destroyed
};

}  // namespace rdmadiag::probes
