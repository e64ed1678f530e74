#include "probes/verbs/port_thread.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "agent/core/gid.h"
#include "agent/core/log.h"
#include "agent/core/unique_fd.h"
#include "probes/verbs/port_keeper.h"

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 1s;
constexpr auto kWatchClockEvery = 200ms;
constexpr auto kStall = 100ms;  // later than asked for
constexpr auto kSpin = 20us;    // for answers that come at once
constexpr auto kJoinWithin = 1s;
constexpr std::size_t kMaxPosted = 10'000;
// A thread looks at its clock at least once a second; this long without means that it hangs.
constexpr auto kHangs = 5s;
constexpr int kBatchesInARow = 16;  // then what is due has its turn, however many messages come in

}  // namespace

// Outlives the owner when the thread hangs.
class PortThread::Shared {
 public:
  Shared() : wake_up_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_up_) throw std::system_error(errno, std::generic_category(), "eventfd");
  }

  bool post(std::function<void()> task) {
    {
      const std::scoped_lock hold(mutex_);
      if (posted_.size() >= kMaxPosted) return false;
      posted_.push_back(std::move(task));
    }
    wake();
    return true;
  }
  void stop() {
    {
      const std::scoped_lock hold(mutex_);
      stopping_ = true;
    }
    wake();
  }
  void finish() {
    const std::scoped_lock hold(mutex_);
    finished_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] bool wait_finished(std::chrono::nanoseconds time) {
    std::unique_lock hold(mutex_);
    return changed_.wait_for(hold, time, [this] { return finished_; });
  }

  // The thread's side. False when it is to end.
  bool take(std::vector<std::function<void()>>& tasks) {
    const std::scoped_lock hold(mutex_);
    tasks.swap(posted_);
    return !stopping_;
  }
  void publish(PortState state) {
    const std::scoped_lock hold(mutex_);
    state_ = std::move(state);
  }
  void alive(core::SteadyTime now) {
    const std::scoped_lock hold(mutex_);
    state_.alive = now;
  }
  [[nodiscard]] PortState state() const {
    const std::scoped_lock hold(mutex_);
    return state_;
  }
  // Readable when there is something to take.
  [[nodiscard]] int fd() const { return wake_up_.get(); }
  void quiet() {
    eventfd_t ignored = 0;
    eventfd_read(wake_up_.get(), &ignored);
  }

 private:
  void wake() { eventfd_write(wake_up_.get(), 1); }

  core::UniqueFd wake_up_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> posted_;
  PortState state_;
  bool stopping_ = false;
  bool finished_ = false;
};

class PortThread::Loop {
 public:
  Loop(DeviceIdentity device, std::uint8_t port, std::shared_ptr<PortUser> user,
       std::shared_ptr<const core::Clock> clock, std::shared_ptr<Shared> shared)
      : user_(std::move(user)),
        clock_(std::move(clock)),
        shared_(std::move(shared)),
        keeper_(std::move(device), port, *user_) {}

  void run() {
    std::vector<std::function<void()>> tasks;
    while (shared_->take(tasks)) {
      for (const auto& task : tasks) task();
      tasks.clear();
      look();
      const bool sent = user_->work();
      if (keeper_.is_open()) drain();
      sleep(sent);
    }
    user_->stop();
    keeper_.close();
    shared_->finish();
  }

 private:
  // At the device, once a second and whenever it has something to say.
  void look() {
    const core::SteadyTime now = clock_->steady();
    if (now < next_look_ && !events_wait_) return;
    events_wait_ = false;
    next_look_ = now + kLookEvery;
    keeper_.look();
    publish(now);
  }

  void publish(core::SteadyTime now) {
    PortState state = keeper_.state();
    state.alive = now;
    shared_->publish(std::move(state));
  }

  // Closes the port, to be opened by the next look. Told at once: peers must not take a port
  // without a queue pair for one that is well.
  void rebuild(const std::string& why) {
    const core::SteadyTime now = clock_->steady();
    keeper_.rebuild(why);
    next_look_ = now + kLookEvery;
    publish(now);
  }

  // True when there was something.
  bool drain() {
    bool any = false;
    for (int i = 0; i < kBatchesInARow; ++i) {
      const auto count = user_->poll();
      if (!count || user_->broken()) {
        rebuild(count ? "a queue pair failed" : count.error().message());
        break;
      }
      if (*count == 0) break;
      any = true;
    }
    return any;
  }

  void spin() {
    const core::SteadyTime until = clock_->steady() + kSpin;
    while (keeper_.is_open() && clock_->steady() < until) drain();
  }

  void sleep(bool sent) {
    if (sent) spin();
    if (keeper_.is_open()) {
      if (!user_->arm()) rebuild("asking for completion events failed");
      // What completed before the request raises no event.
      if (keeper_.is_open() && drain()) return note_time(clock_->steady(), 0ns);
    }
    const core::SteadyTime now = clock_->steady();
    core::SteadyTime until = next_look_;
    if (const auto next = user_->next_wakeup()) until = std::min(until, *next);
    if (user_->watches_clock()) until = std::min(until, now + kWatchClockEvery);
    const auto time = std::max(until - now, std::chrono::nanoseconds(0));
    note_time(now, time);
    wait(time);
    const core::SteadyTime woken = clock_->steady();
    note_time(woken, 0ns);
    // Before anything else, which would count as latency.
    if (completions_wait_) drain();
    shared_->alive(woken);
  }

  // The time from one look at the clock to the next is either slept on purpose or a stall.
  void note_time(core::SteadyTime now, std::chrono::nanoseconds sleep) {
    if (asleep_since_ != core::SteadyTime{} && now - asleep_since_ > asleep_for_ + kStall)
      user_->loop_stalled(asleep_since_, now);
    asleep_since_ = now;
    asleep_for_ = sleep;
  }

  void wait(std::chrono::nanoseconds time) {
    descriptors_.clear();
    if (keeper_.is_open()) {
      descriptors_.push_back(keeper_.event_fd());
      user_->add_descriptors(descriptors_);
    }
    descriptors_.push_back(shared_->fd());
    polled_.clear();
    for (const int fd : descriptors_) polled_.push_back({fd, POLLIN, 0});
    const auto whole = std::chrono::floor<std::chrono::seconds>(time);
    const timespec spec{whole.count(), (time - whole).count()};
    completions_wait_ = false;
    if (ppoll(polled_.data(), polled_.size(), &spec, nullptr) <= 0) return;
    if (polled_.back().revents != 0) shared_->quiet();
    if (!keeper_.is_open()) return;
    events_wait_ = polled_.front().revents != 0;
    completions_wait_ = std::any_of(polled_.begin() + 1, polled_.end() - 1,
                                    [](const pollfd& fd) { return fd.revents != 0; });
  }

  std::shared_ptr<PortUser> user_;
  std::shared_ptr<const core::Clock> clock_;
  std::shared_ptr<Shared> shared_;
  PortKeeper keeper_;
  core::SteadyTime next_look_{};
  bool events_wait_ = false;
  bool completions_wait_ = false;
  core::SteadyTime asleep_since_{};
  std::chrono::nanoseconds asleep_for_{0};
  std::vector<int> descriptors_;
  std::vector<pollfd> polled_;
};

PortThread::PortThread(DeviceIdentity device, std::uint8_t port, std::string name,
                       std::shared_ptr<PortUser> user, std::shared_ptr<const core::Clock> clock)
    : shared_(std::make_shared<Shared>()) {
  auto loop =
      std::make_unique<Loop>(std::move(device), port, std::move(user), std::move(clock), shared_);
  thread_ = std::thread([loop = std::move(loop)] { loop->run(); });
  name.resize(std::min<std::size_t>(name.size(), 15));
  pthread_setname_np(thread_.native_handle(), name.c_str());
}

PortThread::~PortThread() {
  shared_->stop();
  if (shared_->wait_finished(kJoinWithin)) {
    thread_.join();
  } else {
    core::log_warn("a probing thread hangs in the kernel and is left behind");
    thread_.detach();
  }
}

std::string problem_of(const PortState& state, core::SteadyTime now) {
  if (state.alive != core::SteadyTime{} && now - state.alive > kHangs)
    return "its driver does not return from a call";
  return state.usable ? std::string() : state.problem;
}

bool PortThread::post(std::function<void()> task) { return shared_->post(std::move(task)); }

PortState PortThread::state() const { return shared_->state(); }

}  // namespace rdmadiag::probes
