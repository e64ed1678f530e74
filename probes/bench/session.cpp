#include "probes/bench/session.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "probes/verbs/port_keeper.h"

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;

// A handler of the HTTP server waits no longer for the thread.
constexpr auto kAnswerWithin = 5s;
constexpr auto kLookEvery = 200ms;
constexpr auto kConnectPoll = 2ms;

}  // namespace

BenchSession::BenchSession(BenchSessionOptions options, BenchOffer offer, RandomSource random,
                           std::shared_ptr<const core::Clock> clock)
    : options_(std::move(options)),
      offer_(std::move(offer)),
      random_(std::move(random)),
      clock_(std::move(clock)),
      last_moment_(clock_->steady() + options_.most) {
  heard();
  thread_ = std::jthread([this] { run(); });
}

BenchSession::~BenchSession() { close(); }

void BenchSession::close() {
  const std::scoped_lock hold(mutex_);
  closing_ = true;
  control_.stop();
  changed_.notify_all();
}

void BenchSession::heard() {
  control_.end_at(std::min(clock_->steady() + options_.silence, last_moment_));
}

bool BenchSession::finished() const {
  const std::scoped_lock hold(mutex_);
  return state_ == State::kFinished;
}

core::Result<BenchSession::Opened> BenchSession::opened() {
  std::unique_lock hold(mutex_);
  changed_.wait_for(hold, kAnswerWithin, [this] { return state_ != State::kOpening; });
  if (state_ == State::kFinished) return core::fail(problem_);
  if (!opened_) return core::fail("the device takes too long");
  return *opened_;
}

BenchReport BenchSession::begin(const BenchCommand& command, std::unique_lock<std::mutex>& hold) {
  if (command.size == 0 || command.size > offer_.plan.largest) {
    return {.problem = "the size is not within the plan's", .sent = {}};
  }
  if (command.limit == BenchLimit{}) return {.problem = "it would never end", .sent = {}};
  if (state_ == State::kFinished) return {.problem = problem_, .sent = {}};
  if (state_ != State::kIdle || next_) {
    return {.problem = "the measurement before is not over", .sent = {}};
  }
  next_ = command;
  changed_.notify_all();
  changed_.wait_for(hold, kAnswerWithin, [this] { return !next_; });
  if (next_) return {.problem = "the peer does not get ready", .sent = {}};
  return {.problem = state_ == State::kFinished ? problem_ : std::string(), .sent = {}};
}

BenchReport BenchSession::act(const BenchCommand& command) {
  heard();
  std::unique_lock hold(mutex_);
  const auto settled = [this] { return state_ == State::kIdle || state_ == State::kFinished; };
  switch (command.action) {
    case BenchAction::kBegin: return begin(command, hold);
    case BenchAction::kAlive: break;
    case BenchAction::kEnd:
      changed_.wait_for(hold, kAnswerWithin, [this] { return !sending_; });
      control_.stop();
      changed_.notify_all();
      changed_.wait_for(hold, kAnswerWithin, settled);
      if (state_ == State::kIdle) return report_;
      break;
    case BenchAction::kClose:
      closing_ = true;
      control_.stop();
      changed_.notify_all();
      changed_.wait_for(hold, kAnswerWithin, [this] { return state_ == State::kFinished; });
      return {.problem = {}, .sent = {}};
  }
  return {.problem = state_ == State::kFinished ? problem_ : std::string(), .sent = {}};
}

void BenchSession::run() {
  std::unique_ptr<BenchEndpoint> endpoint;
  core::Status status = set_up(endpoint);
  if (status) status = serve(*endpoint);
  // First everything is released, then it is said.
  endpoint.reset();
  device_.reset();
  finish(status);
}

void BenchSession::finish(const core::Status& status) {
  const std::string why = status ? "the run is closed" : status.error().message();
  if (options_.ended) options_.ended(why);
  const std::scoped_lock hold(mutex_);
  problem_ = why;
  state_ = State::kFinished;
  sending_ = false;
  next_.reset();
  changed_.notify_all();
}

// False when the run was closed meanwhile.
bool BenchSession::start(BenchLoops& loops, const BenchCommand& command) {
  loops.prepare(command.size);
  const std::scoped_lock hold(mutex_);
  if (closing_) return false;
  control_.go_on();
  report_ = {};
  sending_ = command.metric == BenchMetric::kBandwidth && offer_.plan.bidirectional;
  state_ = State::kMeasuring;
  next_.reset();
  changed_.notify_all();
  return true;
}

core::Status BenchSession::set_up(std::unique_ptr<BenchEndpoint>& endpoint) {
  auto device = Device::open({.name = options_.device, .node_guid = {}});
  if (!device) return tl::make_unexpected(device.error());
  device_.emplace(std::move(*device));
  auto placement = place_thread(options_.placement, *device_);
  if (!placement) return tl::make_unexpected(placement.error());
  const auto port = view_port(*device_, options_.port);
  if (!port) return tl::make_unexpected(port.error());
  auto made = BenchEndpoint::create(
      *device_, {.port = *port, .plan = offer_.plan, .role = RcRole::kAcceptor}, random_);
  if (!made) return tl::make_unexpected(made.error());
  endpoint = std::move(*made);
  const BenchEnds remote{.qkey = offer_.qkey, .reads = offer_.reads, .ends = offer_.ends};
  if (auto connecting = endpoint->connect(remote); !connecting) return connecting;
  const std::scoped_lock hold(mutex_);
  opened_ = Opened{.ends = endpoint->local(), .placement = std::move(*placement)};
  state_ = State::kIdle;
  changed_.notify_all();
  return {};
}

core::Status BenchSession::serve(BenchEndpoint& endpoint) {
  BenchLoops loops(endpoint, *clock_, control_);
  while (true) {
    BenchCommand command;
    {
      std::unique_lock hold(mutex_);
      changed_.wait_for(hold, kLookEvery, [this] { return closing_ || next_; });
      if (closing_) return {};
      if (clock_->steady() >= last_moment_) {
        return core::fail("the run took longer than " + std::to_string(options_.most.count()) +
                          " s, the peer's bench.max_seconds");
      }
      if (clock_->steady() >= control_.end()) return core::fail("the peer has gone");
      if (!next_) continue;
      command = *next_;
    }
    if (auto up = wait_until_connected(endpoint); !up) return up;
    if (!start(loops, command)) return {};
    core::Status done = measure(loops, command);
    if (!done && clock_->steady() >= last_moment_) continue;  // said above
    if (!done) return done;
    const std::scoped_lock hold(mutex_);
    report_.received = loops.received();
    state_ = State::kIdle;
    changed_.notify_all();
  }
}

// On iWARP the other end calls after it was answered.
core::Status BenchSession::wait_until_connected(BenchEndpoint& endpoint) {
  while (true) {
    const auto up = endpoint.connected();
    if (!up) return tl::make_unexpected(up.error());
    if (*up) return {};
    if (clock_->steady() >= control_.end()) return core::fail("the peer did not connect");
    std::unique_lock hold(mutex_);
    if (changed_.wait_for(hold, kConnectPoll, [this] { return closing_; })) return {};
  }
}

core::Status BenchSession::measure(BenchLoops& loops, const BenchCommand& command) {
  const BenchPlan& plan = offer_.plan;
  if (command.metric == BenchMetric::kLatency && plan.operation != RcOperation::kRead) {
    return loops.answer(command.size);
  }
  if (command.metric == BenchMetric::kBandwidth && plan.bidirectional) {
    const auto batches = loops.bandwidth(command.size, command.limit);
    if (!batches) return tl::make_unexpected(batches.error());
    const std::scoped_lock hold(mutex_);
    report_.sent = bandwidth_figures(*batches, command.size);
    sending_ = false;
    changed_.notify_all();
  }
  return plan.operation == RcOperation::kSend ? loops.receive() : wait_until_told();
}

// The NIC does the work of one-sided operations: polling would only take a CPU from whoever needs
// it.
core::Status BenchSession::wait_until_told() {
  std::unique_lock hold(mutex_);
  while (!changed_.wait_for(hold, kLookEvery, [this] { return control_.stopped(); })) {
    if (clock_->steady() >= control_.end()) {
      return core::errno_error(ETIMEDOUT, "waiting for the other end");
    }
  }
  return {};
}

}  // namespace rdmadiag::probes
