// What a source or a discovery publishes, and waiting for it to be as a test expects.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "probes/discovery/peer.h"

// Runs one source on a thread of its own, as Discovery does.
class RunningSource {
 public:
  using Reading = rdmadiag::core::Result<rdmadiag::probes::SourceReading>;

  explicit RunningSource(std::unique_ptr<rdmadiag::probes::PeerSource> source)
      : source_(std::move(source)), thread_([this] {
          source_->run(stop_, [this](Reading reading) {
            const std::scoped_lock lock(mutex_);
            readings_.push_back(std::move(reading));
            changed_.notify_all();
          });
        }) {}
  ~RunningSource() { stop_.set(); }
  RunningSource(const RunningSource&) = delete;
  RunningSource& operator=(const RunningSource&) = delete;

  // Whether a reading that `wanted` likes comes within 60 s; readings before the last one that was
  // waited for do not count again.
  bool wait_for(const std::function<bool(const Reading&)>& wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] {
      while (next_ < readings_.size()) {
        if (wanted(readings_[next_++])) return true;
      }
      return false;
    });
  }

  bool wait_for_addresses(const std::vector<std::string>& addresses) {
    return wait_for(
        [&](const Reading& reading) { return reading && addresses_of(*reading) == addresses; });
  }

  bool wait_for_error() {
    return wait_for([](const Reading& reading) { return !reading.has_value(); });
  }

  static std::vector<std::string> addresses_of(const rdmadiag::probes::SourceReading& reading) {
    std::vector<std::string> addresses;
    for (const auto& peer : reading.peers) addresses.push_back(peer.address);
    return addresses;
  }

  void stop() {
    stop_.set();
    thread_.join();
  }

 private:
  std::unique_ptr<rdmadiag::probes::PeerSource> source_;
  rdmadiag::probes::StopEvent stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Reading> readings_;
  std::size_t next_ = 0;
  std::jthread thread_;
};
