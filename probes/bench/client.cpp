#include "probes/bench/client.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "probes/verbs/port_keeper.h"

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;

constexpr auto kAliveEvery = 1s;
constexpr auto kConnectWithin = 10s;
const std::string kPeerSays = "the peer says: ";

}  // namespace

// What the measuring thread does, and what became of it.
struct BenchClient::Work {
  BenchMetric metric = BenchMetric::kLatency;
  std::uint32_t size = 0;
  BenchLimit limit = {};
  core::Result<std::vector<std::chrono::nanoseconds>> trips = {};
  core::Result<std::vector<BenchBatch>> batches = {};
  core::Status status = {};      // of either
  core::Status afterwards = {};  // of what followed, once the thread has ended
  std::atomic<bool> measured = false;
};

BenchClient::BenchClient(BenchClientParts parts, BenchClientOptions options)
    : parts_(std::move(parts)), options_(std::move(options)) {}

BenchClient::~BenchClient() {
  if (answer_.run.empty()) return;
  // A peer that does not answer any more finds out by itself.
  static_cast<void>(say({.run = answer_.run, .action = BenchAction::kClose, .limit = {}}));
}

core::Result<std::unique_ptr<BenchClient>> BenchClient::open(BenchClientParts parts,
                                                             BenchClientOptions options) {
  std::unique_ptr<BenchClient> client(new BenchClient(std::move(parts), std::move(options)));
  if (auto ready = client->set_up(); !ready) return tl::make_unexpected(ready.error());
  return client;
}

core::Status BenchClient::set_up() {
  auto device = Device::open({.name = options_.device, .node_guid = {}});
  if (!device) return tl::make_unexpected(device.error());
  device_ = std::make_unique<Device>(std::move(*device));
  // Also this thread: the memory shall be the node's, and threads inherit it.
  auto placed = place_thread(options_.placement, *device_);
  if (!placed) return tl::make_unexpected(placed.error());
  placement_ = std::move(*placed);
  const auto port = view_port(*device_, options_.port);
  if (!port) return tl::make_unexpected(port.error());
  auto endpoint = BenchEndpoint::create(
      *device_, {.port = *port, .plan = options_.plan, .role = RcRole::kProber}, parts_.random);
  if (!endpoint) return tl::make_unexpected(endpoint.error());
  endpoint_ = std::move(*endpoint);
  const BenchEnds& local = endpoint_->local();
  const auto body = parts_.post(kBenchPath, encode_bench(BenchOffer{.from = options_.from,
                                                                    .device = options_.peer_device,
                                                                    .protocol = port->protocol,
                                                                    .plan = options_.plan,
                                                                    .qkey = local.qkey,
                                                                    .reads = local.reads,
                                                                    .ends = local.ends}));
  if (!body) return tl::make_unexpected(body.error());
  auto answer = decode_bench_answer(*body);
  if (!answer) return tl::make_unexpected(answer.error());
  answer_ = std::move(*answer);
  return connect();
}

core::Status BenchClient::connect() {
  const BenchEnds remote{.qkey = answer_.qkey, .reads = answer_.reads, .ends = answer_.ends};
  if (auto connecting = endpoint_->connect(remote); !connecting) return connecting;
  const core::SteadyTime begin = parts_.clock->steady();
  while (true) {
    const auto up = endpoint_->connected();
    if (!up) return tl::make_unexpected(up.error());
    if (*up) return {};
    if (parts_.clock->steady() - begin > kConnectWithin) {
      return core::fail("connecting to the peer took too long");
    }
    if (!parts_.wait()) return core::errno_error(ECANCELED, "connecting");
  }
}

std::uint32_t BenchClient::inline_bytes() const { return endpoint_->lanes().front().inline_bytes; }

core::Result<BenchReport> BenchClient::say(const BenchCommand& command) const {
  const auto body = parts_.post(kBenchRunPath, encode_bench(command));
  if (!body) return tl::make_unexpected(body.error());
  auto report = decode_bench_report(*body);
  if (report && !report->problem.empty()) return core::fail(kPeerSays + report->problem);
  return report;
}

void BenchClient::run_work(Work& work) {
  BenchLoops loops(*endpoint_, *parts_.clock, control_);
  if (work.metric == BenchMetric::kLatency) {
    work.trips = loops.latency(work.size, work.limit);
    if (!work.trips) work.status = tl::make_unexpected(work.trips.error());
  } else {
    work.batches = loops.bandwidth(work.size, work.limit);
    if (!work.batches) work.status = tl::make_unexpected(work.batches.error());
  }
  const bool receives = options_.plan.bidirectional && bench_receives(options_.plan) > 0;
  const bool goes_on = work.status && work.metric == BenchMetric::kBandwidth && receives;
  work.measured = true;
  // The peer may not be done with its own direction yet.
  if (goes_on) work.afterwards = loops.receive();
}

// Until it is measured: keeps the peer informed that we are there, and sees whether it still is.
core::Status BenchClient::follow(Work& work) {
  core::SteadyTime told = parts_.clock->steady();
  while (!work.measured) {
    if (!parts_.wait()) return core::errno_error(ECANCELED, "measuring");
    if (work.measured || parts_.clock->steady() - told < kAliveEvery) continue;
    const auto report = say({.run = answer_.run, .action = BenchAction::kAlive, .limit = {}});
    if (!report && !work.measured) {
      const std::string why = report.error().message();
      return core::fail(why.starts_with(kPeerSays) ? why : "the peer went away: " + why);
    }
    told = parts_.clock->steady();
  }
  return {};
}

core::Result<BenchMeasurement> BenchClient::measure(BenchMetric metric, std::uint32_t size,
                                                    const BenchLimit& limit) {
  BenchLoops(*endpoint_, *parts_.clock, control_).prepare(size);
  BenchCommand command{.run = answer_.run,
                       .action = BenchAction::kBegin,
                       .metric = metric,
                       .size = size,
                       .limit = limit};
  if (auto begun = say(command); !begun) return tl::make_unexpected(begun.error());
  Work work{.metric = metric, .size = size, .limit = limit};
  control_.go_on();
  std::thread thread([this, &work] { run_work(work); });
  const core::Status followed = follow(work);
  command.action = BenchAction::kEnd;
  core::Result<BenchReport> report = core::fail("not asked");
  if (followed && work.status) report = say(command);
  control_.stop();
  thread.join();
  // What the NIC reported says more than that the peer does not answer.
  const bool failed_by_itself =
      !work.status && work.status.error().code != std::errc::operation_canceled;
  if (!followed && !failed_by_itself) return tl::make_unexpected(followed.error());
  if (!work.status) return tl::make_unexpected(work.status.error());
  if (!work.afterwards) return tl::make_unexpected(work.afterwards.error());
  if (!report) return tl::make_unexpected(report.error());

  BenchMeasurement measured{.metric = metric, .size = size};
  if (metric == BenchMetric::kLatency) {
    const double share = options_.plan.operation == RcOperation::kRead ? 1 : 0.5;
    measured.latency = latency_figures(std::move(*work.trips), share);
    return measured;
  }
  measured.bandwidth = bandwidth_figures(std::move(*work.batches), size);
  if (options_.plan.bidirectional) measured.peer_bandwidth = report->sent;
  if (options_.plan.operation == RcOperation::kSend) measured.received = report->received;
  return measured;
}

}  // namespace rdmadiag::probes
