// The bandwidth half of BenchLoops.
#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>

#include "probes/bench/loops.h"

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostBatches = 4096;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
// Completions of larger messages cost nothing beside these; a hundred of them on a slow link take
// longer than a peer that stands still is waited for.
constexpr std::uint32_t kMostModeratedSize = 8192;

}  // namespace

// One queue pair's sends that are on their way.
struct BenchLoops::Stream {
  struct Group {
    core::SteadyTime posted;
    std::uint64_t messages;
  };
  std::deque<Group> groups;       // signalled ones, in order
  core::SteadyTime first_posted;  // of the group that is being posted
  std::uint32_t unsignalled = 0;  // posted since the last signalled one
  std::uint32_t on_their_way = 0;
};

// Posts until every queue pair has its depth, or `left` are posted.
core::Status BenchLoops::fill(std::vector<Stream>& streams, std::uint32_t size,
                              std::uint64_t& left) {
  const BenchPlan& plan = endpoint_.plan();
  const std::uint32_t group = size > kMostModeratedSize ? 1 : std::min(plan.moderation, plan.depth);
  const bool may_inline = plan.inline_bytes.has_value();
  for (std::size_t lane = 0; lane < streams.size(); ++lane) {
    Stream& stream = streams[lane];
    while (left > 0 && stream.on_their_way < plan.depth) {
      if (stream.unsignalled == 0) stream.first_posted = clock_.steady();
      const bool signalled = stream.unsignalled + 1 >= group || left <= streams.size();
      if (auto posted = post(lane, size, signalled, may_inline); !posted) return posted;
      ++stream.unsignalled;
      ++stream.on_their_way;
      --left;
      if (!signalled) continue;
      stream.groups.push_back({stream.first_posted, stream.unsignalled});
      stream.unsignalled = 0;
    }
  }
  return {};
}

core::Result<std::size_t> BenchLoops::reap(std::vector<Stream>& streams,
                                           std::vector<BenchBatch>& batches) {
  std::array<ibv_wc, 16> completions;
  const int count = endpoint_.sends().poll(completions);
  if (count < 0) return core::errno_error(EIO, "ibv_poll_cq");
  if (count == 0) return std::size_t{0};
  const core::SteadyTime now = clock_.steady();
  for (const ibv_wc& completion : std::span(completions).first(static_cast<std::size_t>(count))) {
    if (auto good = check(completion); !good) return tl::make_unexpected(good.error());
    Stream& stream = streams[completion.wr_id];
    const Stream::Group group = stream.groups.front();
    stream.groups.pop_front();
    stream.on_their_way -= static_cast<std::uint32_t>(group.messages);
    batches.push_back({.posted = group.posted, .completed = now, .messages = group.messages});
  }
  return static_cast<std::size_t>(count);
}

// Leaves nothing on its way, so that the next measurement begins with empty queues.
core::Status BenchLoops::drain(std::vector<Stream>& streams, std::uint32_t size,
                               BenchWatch& watch) {
  for (std::size_t lane = 0; lane < streams.size(); ++lane) {
    Stream& stream = streams[lane];
    if (stream.unsignalled == 0) continue;
    // One more with a signal says that those before it are done.
    if (auto posted = post(lane, size, true, false); !posted) return posted;
    ++stream.on_their_way;
    stream.groups.push_back({stream.first_posted, stream.unsignalled + 1});
    stream.unsignalled = 0;
  }
  std::vector<BenchBatch> uncounted;
  const auto busy = [](const Stream& stream) { return !stream.groups.empty(); };
  while (std::ranges::any_of(streams, busy)) {
    const auto reaped = reap(streams, uncounted);
    if (!reaped) return tl::make_unexpected(reaped.error());
    const auto taken = take_receives();
    if (!taken) return tl::make_unexpected(taken.error());
    if (*reaped + *taken > 0) {
      watch.reset();
    } else if (auto going = sleep(endpoint_.sends(), watch); !going) {
      return going;
    }
  }
  return {};
}

core::Result<std::vector<BenchBatch>> BenchLoops::bandwidth(std::uint32_t size,
                                                            const BenchLimit& limit) {
  BenchWatch watch(control_, clock_, patience());
  const bool receives = endpoint_.plan().bidirectional && bench_receives(endpoint_.plan()) > 0;
  std::vector<Stream> streams(endpoint_.lanes().size());
  std::vector<BenchBatch> batches;
  batches.reserve(2 * kMostBatches);
  std::uint64_t left = limit.iterations != 0 ? limit.iterations : kNoLimit;
  const core::SteadyTime begin = clock_.steady();
  const auto failed = [this](const core::Error& error) {
    return tl::make_unexpected(explained(tl::make_unexpected(error)).error());
  };
  while (true) {
    if (auto posted = fill(streams, size, left); !posted) return failed(posted.error());
    const auto reaped = reap(streams, batches);
    if (!reaped) return failed(reaped.error());
    std::size_t moved = *reaped;
    if (receives) {
      const auto taken = take_receives();
      if (!taken) return failed(taken.error());
      moved += *taken;
    }
    if (batches.size() >= 2 * kMostBatches) thin_out(batches, kMostBatches);
    const auto idle = [](const Stream& stream) { return stream.groups.empty(); };
    if (left == 0 && std::ranges::all_of(streams, idle)) break;
    if (moved > 0) {
      watch.reset();
      const bool over = limit.duration.count() != 0 && clock_.steady() - begin >= limit.duration;
      if (over && !batches.empty()) break;
      if (control_.stopped()) return core::errno_error(ECANCELED, "measuring");
    } else if (auto going = sleep(endpoint_.sends(), watch); !going) {
      return failed(going.error());
    }
  }
  if (auto drained = drain(streams, size, watch); !drained) return failed(drained.error());
  return batches;
}

}  // namespace rdmadiag::probes
