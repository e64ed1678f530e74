#include "probes/bench/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kTail = 2;
constexpr std::size_t kTailFrom = 10;
constexpr std::size_t kPeakBatches = 1024;  // the search for the peak is quadratic

double to_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

LatencyFigures latency_figures(std::vector<std::chrono::nanoseconds> round_trips, double share) {
  std::ranges::sort(round_trips);
  if (round_trips.size() > kTailFrom) round_trips.resize(round_trips.size() - kTail);
  const std::size_t count = round_trips.size();
  const auto at = [&](double part) {
    const auto place = static_cast<std::size_t>(std::ceil(part * static_cast<double>(count)));
    return to_seconds(round_trips.at(std::min(place, count - 1))) * share;
  };
  const auto sum =
      std::accumulate(round_trips.begin(), round_trips.end(), std::chrono::nanoseconds{});
  LatencyFigures figures;
  figures.count = count;
  figures.least = to_seconds(round_trips.front()) * share;
  figures.p50 = to_seconds(round_trips.at(count / 2)) * share;
  figures.typical = figures.p50;
  figures.average = to_seconds(sum) * share / static_cast<double>(count);
  figures.p99 = at(0.99);
  figures.p999 = at(0.999);
  figures.most = to_seconds(round_trips.back()) * share;
  return figures;
}

void thin_out(std::vector<BenchBatch>& batches, std::size_t most) {
  while (batches.size() > most) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batches.size(); i += 2) {
      BenchBatch joined = batches[i];
      if (i + 1 < batches.size()) {
        joined.posted = std::min(joined.posted, batches[i + 1].posted);
        joined.completed = batches[i + 1].completed;
        joined.messages += batches[i + 1].messages;
      }
      batches[kept++] = joined;
    }
    batches.resize(kept);
  }
}

BandwidthFigures bandwidth_figures(std::vector<BenchBatch> batches, std::uint32_t size) {
  BandwidthFigures figures;
  core::SteadyTime begin = batches.front().posted;
  for (const BenchBatch& batch : batches) {
    figures.messages += batch.messages;
    begin = std::min(begin, batch.posted);
  }
  figures.bytes = figures.messages * size;
  figures.seconds = to_seconds(batches.back().completed - begin);
  if (figures.seconds > 0) {
    figures.average = static_cast<double>(figures.bytes) / figures.seconds;
    figures.rate = static_cast<double>(figures.messages) / figures.seconds;
  }
  thin_out(batches, kPeakBatches);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    std::uint64_t messages = 0;
    for (std::size_t j = i; j < batches.size(); ++j) {
      messages += batches[j].messages;
      const double seconds = to_seconds(batches[j].completed - batches[i].posted);
      if (seconds <= 0) continue;
      const double rate = static_cast<double>(messages) * size / seconds;
      figures.peak = std::max(figures.peak, rate);
    }
  }
  return figures;
}

}  // namespace rdmadiag::probes
