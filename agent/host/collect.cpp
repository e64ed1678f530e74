#include "agent/host/collect.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "agent/host/descriptor_limit.h"
#include "agent/host/device_table.h"
#include "agent/host/discovery.h"
#include "agent/host/sysfs_parse.h"
#include "agent/host/worker.h"

namespace rdmadiag::host {
namespace {

using core::Source;

// Waiting is in real time, whatever the collector's clock says.
core::SteadyTime real_time() { return core::SystemClock().steady(); }

// Listing devices, on a thread of its own: netlink can hang as well.
class DiscoveryWorker {
 public:
  explicit DiscoveryWorker(const DeviceSetup& setup)
      : worker_([discovery = std::make_shared<Discovery>(setup)](const None&) {
          return discovery->list();
        }) {}

  // Nothing when the listing does not come by the deadline, or an earlier one is still awaited.
  std::optional<Listing> list(core::SteadyTime deadline) {
    if (!worker_.start({})) return std::nullopt;
    return worker_.wait_until(deadline);
  }
  void finish(core::SteadyTime deadline) { worker_.finish(deadline); }

 private:
  struct None {};
  Worker<None, Listing> worker_;
};

// Sockets, logs and listings need descriptors too.
std::size_t kept_files(const CollectOptions& options) {
  return std::min(options.max_kept_files, descriptor_limit() / 4 * 3);
}

DeviceSetup make_setup(const Roots& roots, const CollectOptions& options,
                       const CollectorParts& parts, std::shared_ptr<DescriptorBudget> budget) {
  DeviceSetup setup;
  setup.roots = roots;
  setup.options = options;
  setup.files = parts.files;
  setup.clock = parts.clock;
  setup.budget = std::move(budget);
  setup.netlink = parts.netlink;
  setup.more_sources = parts.more_sources;
  return setup;
}

// Everything that goes by one set of options; used by one thread at a time.
class HostReader {
 public:
  explicit HostReader(DeviceSetup setup)
      : setup_(std::move(setup)), discovery_(setup_), devices_(setup_) {}

  ~HostReader() { finish(real_time() + setup_.options.deadline); }
  HostReader(const HostReader&) = delete;
  HostReader& operator=(const HostReader&) = delete;

  // Nothing is read after. What is still at work at the deadline is left behind.
  void finish(core::SteadyTime deadline) {
    devices_.finish(deadline);
    discovery_.finish(deadline);
  }

  std::shared_ptr<const core::HostSnapshot> read(bool rescan) {
    if (begun_ && (rescan || real_time() - *begun_ >= setup_.options.deadline)) call_off();
    if (!begun_) begin(rescan || is_listing_due());
    const core::SteadyTime deadline = *begun_ + setup_.options.deadline;
    if (devices_.wait(deadline)) {
      discover(deadline);
      devices_.start_new(kernel_);
      devices_.wait(deadline);
    }
    return end();
  }

  // Null when it takes longer than `patience`, or did the last time; read() goes on then.
  std::shared_ptr<const core::HostSnapshot> try_read(std::chrono::nanoseconds patience) {
    if (begun_ || took_ > patience || is_listing_due()) return nullptr;
    begin(false);
    const core::SteadyTime until = *begun_ + patience;
    const bool done = devices_.is_done_by(until) && !devices_.wait(until);
    return done ? end() : nullptr;
  }

 private:
  [[nodiscard]] bool is_listing_due() const { return setup_.clock->steady() >= next_scan_; }

  void begin(bool list) {
    begun_ = real_time();
    // Half the time at most, so that a hanging listing does not cost the devices that are known.
    if (list) discover(*begun_ + setup_.options.deadline / 2);
    devices_.start(kernel_, list);
  }

  std::shared_ptr<const core::HostSnapshot> end() {
    took_ = real_time() - *begun_;
    begun_.reset();
    return report();
  }

  // Nobody came for what try_read() has begun, or it is not what is wanted now.
  void call_off() {
    devices_.wait(*begun_ + setup_.options.deadline);
    begun_.reset();
  }

  void discover(core::SteadyTime deadline) {
    auto listing = discovery_.list(deadline);
    if (!listing) {
      ++discovery_timeouts_;
      discovery_late_ = true;
      return;
    }
    discovery_late_ = false;
    next_scan_ = setup_.clock->steady() + setup_.options.rescan_interval;
    listing_ = std::move(*listing);
    kernel_ = parse_kernel_release(listing_.kernel_release);
    devices_.apply(listing_);
  }

  std::shared_ptr<const core::HostSnapshot> report() {
    auto host = std::make_shared<core::HostSnapshot>();
    host->hostname = listing_.hostname;
    host->kernel_release = listing_.kernel_release;
    host->netns_shared = listing_.netns_shared;
    host->gpu = listing_.gpu;
    host->has_rdma_class = listing_.has_rdma_class;
    host->sources = listing_.sources;
    host->issues = listing_.issues;
    note_late_discovery(*host);
    devices_.report(*host);
    host->taken_steady = setup_.clock->steady();
    host->taken_at = setup_.clock->system();
    return host;
  }

  void note_late_discovery(core::HostSnapshot& host) const {
    if (host.sources.empty()) host.sources.emplace_back();
    for (core::SourceStatus& status : host.sources) {
      if (discovery_late_) status.success = false;
      status.errors[static_cast<std::size_t>(core::IssueReason::kTimeout)] += discovery_timeouts_;
    }
    if (!discovery_late_) return;
    host.issues.push_back({.source = Source::kSysfsPort,
                           .path = (setup_.roots.sys / "class/infiniband").string(),
                           .reason = core::IssueReason::kTimeout,
                           .detail = "listing devices did not return in time"});
  }

  DeviceSetup setup_;
  DiscoveryWorker discovery_;
  DeviceTable devices_;
  core::SteadyTime next_scan_ = core::SteadyTime::min();
  std::optional<core::SteadyTime> begun_;  // the read that has not ended, in real time
  std::chrono::nanoseconds took_{0};       // the last one
  Listing listing_;
  std::optional<KernelRelease> kernel_;
  std::uint64_t discovery_timeouts_ = 0;
  bool discovery_late_ = false;
};

}  // namespace

class Collector::State {
 public:
  State(Roots roots, CollectOptions options, CollectorParts parts)
      : roots_(std::move(roots)), parts_(std::move(parts)), options_(std::move(options)) {}

  std::shared_ptr<const core::HostSnapshot> collect() {
    std::unique_lock lock(mutex_);
    while (reading_) {
      const std::uint64_t before = reads_;
      done_.wait(lock, [&] { return !reading_; });
      if (reads_ != before) return last_;
    }
    if (is_fresh()) return last_;
    const bool rescan = std::exchange(rescan_, false);
    const bool reconfigure = std::exchange(reconfigure_, false);
    const CollectOptions options = options_;
    return read_alone(lock, [&] {
      if (!reader_ || reconfigure) renew(options);
      return reader_->read(rescan);
    });
  }

  std::shared_ptr<const core::HostSnapshot> try_collect(std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex_);
    if (reading_) return nullptr;
    if (is_fresh()) return last_;
    if (!reader_ || rescan_ || reconfigure_) return nullptr;
    return read_alone(lock, [&] { return reader_->try_read(patience); });
  }

  void rescan() {
    const std::lock_guard lock(mutex_);
    rescan_ = true;
  }

  void reconfigure(CollectOptions options) {
    const std::lock_guard lock(mutex_);
    options_ = std::move(options);
    reconfigure_ = true;
  }

 private:
  [[nodiscard]] bool is_fresh() const {
    return last_ && !rescan_ && !reconfigure_ &&
           parts_.clock->steady() - last_->taken_steady < options_.min_interval;
  }

  void renew(const CollectOptions& options) {
    if (reader_)
      reader_->finish(core::SteadyTime::min());  // whoever asks has a deadline of its own
    reader_.reset();
    budget_->limit(kept_files(options));
    reader_ = std::make_unique<HostReader>(make_setup(roots_, options, parts_, budget_));
  }

  // Takes the lock away for the time of `read` and lets nobody else use reader_ meanwhile.
  template <class Read>
  std::shared_ptr<const core::HostSnapshot> read_alone(std::unique_lock<std::mutex>& lock,
                                                       const Read& read) {
    reading_ = true;
    lock.unlock();
    std::shared_ptr<const core::HostSnapshot> snapshot;
    try {
      snapshot = read();
    } catch (...) {
      finish_reading(lock, nullptr);
      throw;
    }
    finish_reading(lock, snapshot);
    return snapshot;
  }

  void finish_reading(std::unique_lock<std::mutex>& lock,
                      std::shared_ptr<const core::HostSnapshot> snapshot) {
    lock.lock();
    reading_ = false;
    if (snapshot) {
      last_ = std::move(snapshot);
      ++reads_;
    }
    done_.notify_all();
  }

  const Roots roots_;
  const CollectorParts parts_;
  const std::shared_ptr<DescriptorBudget> budget_ = std::make_shared<DescriptorBudget>(0);
  std::mutex mutex_;
  std::condition_variable done_;
  CollectOptions options_;
  std::shared_ptr<const core::HostSnapshot> last_;
  std::uint64_t reads_ = 0;
  bool reading_ = false;  // whoever set it is the only user of reader_
  bool rescan_ = false;
  bool reconfigure_ = false;
  std::unique_ptr<HostReader> reader_;
};

Collector::Collector(Roots roots, CollectOptions options, CollectorParts parts)
    : state_(std::make_unique<State>(std::move(roots), std::move(options), std::move(parts))) {}

Collector::~Collector() = default;

std::shared_ptr<const core::HostSnapshot> Collector::collect() { return state_->collect(); }

std::shared_ptr<const core::HostSnapshot> Collector::try_collect(
    std::chrono::nanoseconds patience) {
  return state_->try_collect(patience);
}

void Collector::rescan() { state_->rescan(); }

void Collector::reconfigure(CollectOptions options) { state_->reconfigure(std::move(options)); }

}  // namespace rdmadiag::host
