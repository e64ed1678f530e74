#include "agent/cli/bench_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/cli/mesh_words.h"
#include "exporters/utf8.h"
#include "probes/checked_json.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;
using probes::CheckedObject;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::size_t kMostRows = 4096;
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53;
constexpr double kMostReal = 1e18;

json latency_json(const std::optional<probes::LatencyFigures>& figures) {
  if (!figures) return nullptr;
  return {{"samples", figures->count},           {"min_seconds", figures->least},
          {"typical_seconds", figures->typical}, {"avg_seconds", figures->average},
          {"p50_seconds", figures->p50},         {"p99_seconds", figures->p99},
          {"p999_seconds", figures->p999},       {"max_seconds", figures->most}};
}

json bandwidth_json(const std::optional<probes::BandwidthFigures>& figures) {
  if (!figures) return nullptr;
  return {{"messages", figures->messages},
          {"bytes", figures->bytes},
          {"seconds", figures->seconds},
          {"avg_bytes_per_second", figures->average},
          {"peak_bytes_per_second", figures->peak},
          {"messages_per_second", figures->rate}};
}

json rows_json(const BenchRun& run) {
  json rows = json::array();
  for (const BenchRow& row : run.rows) {
    rows.push_back({{"size_bytes", row.size},
                    {"latency", latency_json(row.latency)},
                    {"bandwidth", bandwidth_json(row.bandwidth)},
                    {"peer_bandwidth", bandwidth_json(row.peer_bandwidth)},
                    {"arrived_ratio", number_or_null(row.received_ratio)}});
  }
  return rows;
}

json registration_json(const BenchRun& run) {
  json rows = json::array();
  for (const RegistrationRow& row : run.registration) {
    rows.push_back({{"size_bytes", row.size},
                    {"register", latency_json(row.registering)},
                    {"release", latency_json(row.releasing)}});
  }
  return rows;
}

std::string csv_latency(const std::optional<probes::LatencyFigures>& figures) {
  if (!figures) return ",,,,,,,";
  return fmt::format("{},{},{},{},{},{},{},{}", figures->count, figures->least, figures->typical,
                     figures->average, figures->p50, figures->p99, figures->p999, figures->most);
}

std::string csv_bandwidth(const std::optional<probes::BandwidthFigures>& figures) {
  if (!figures) return ",,,";
  return fmt::format("{},{},{},{}", figures->messages, figures->average, figures->peak,
                     figures->rate);
}

std::optional<probes::LatencyFigures> read_latency(CheckedObject& row) {
  std::optional<probes::LatencyFigures> read;
  row.within("latency", [&read](CheckedObject& from) {
    const auto time = [&from](const char* field) {
      return from.real(field, 0, kMostReal).value_or(0);
    };
    read = probes::LatencyFigures{.count = from.number64("samples", kMostCount),
                                  .least = time("min_seconds"),
                                  .typical = time("typical_seconds"),
                                  .average = time("avg_seconds"),
                                  .p50 = time("p50_seconds"),
                                  .p99 = time("p99_seconds"),
                                  .p999 = time("p999_seconds"),
                                  .most = time("max_seconds")};
  });
  return read;
}

std::optional<probes::BandwidthFigures> read_bandwidth(CheckedObject& row) {
  std::optional<probes::BandwidthFigures> read;
  row.within("bandwidth", [&read](CheckedObject& from) {
    const auto real = [&from](const char* field) {
      return from.real(field, 0, kMostReal).value_or(0);
    };
    read = probes::BandwidthFigures{.messages = from.number64("messages", kMostCount),
                                    .bytes = from.number64("bytes", ~std::uint64_t{0}),
                                    .seconds = real("seconds"),
                                    .average = real("avg_bytes_per_second"),
                                    .peak = real("peak_bytes_per_second"),
                                    .rate = real("messages_per_second")};
  });
  return read;
}

}  // namespace

std::string bench_json(const BenchRun& run) {
  const probes::BenchPlan& plan = run.plan;
  const auto knee = bench_knee(run);
  const json document = {
      {"schema_version", 1},
      {"peer", exporters::valid_utf8(run.peer)},
      {"peer_device", exporters::valid_utf8(run.peer_device)},
      {"peer_placement", exporters::valid_utf8(run.peer_placement)},
      {"device", exporters::valid_utf8(run.device)},
      {"port", run.port},
      {"protocol", run.protocol},
      {"placement", exporters::valid_utf8(run.placement)},
      {"line_rate_bits_per_second", number_or_null(run.line_rate)},
      {"operation", probes::kBenchOperationNames.at(static_cast<std::size_t>(plan.operation))},
      {"transport", probes::kBenchTransportNames.at(static_cast<std::size_t>(plan.transport))},
      {"mtu_bytes", run.mtu_bytes},
      {"queue_pairs", plan.pairs},
      {"depth", plan.depth},
      {"cq_moderation", plan.moderation},
      {"inline_bytes", run.inline_bytes},
      {"bidirectional", plan.bidirectional},
      {"events", plan.events},
      {"problem", exporters::valid_utf8(run.problem)},
      {"knee_bytes", knee ? json(*knee) : json(nullptr)},
      {"rows", rows_json(run)},
      {"registration", registration_json(run)}};
  return document.dump(2) + "\n";
}

std::string bench_csv(const BenchRun& run) {
  if (!run.registration.empty()) {
    std::string text =
        "size_bytes,samples,register_p50_seconds,register_p99_seconds,"
        "release_p50_seconds,release_p99_seconds\n";
    for (const RegistrationRow& row : run.registration) {
      text +=
          fmt::format("{},{},{},{},{},{}\n", row.size, row.registering.count, row.registering.p50,
                      row.registering.p99, row.releasing.p50, row.releasing.p99);
    }
    return text;
  }
  std::string text =
      "size_bytes,samples,min_seconds,typical_seconds,avg_seconds,p50_seconds,p99_seconds,"
      "p999_seconds,max_seconds,messages,avg_bytes_per_second,peak_bytes_per_second,"
      "messages_per_second,peer_avg_bytes_per_second,arrived_ratio\n";
  for (const BenchRow& row : run.rows) {
    text += fmt::format("{},{},{},{},{}\n", row.size, csv_latency(row.latency),
                        csv_bandwidth(row.bandwidth),
                        row.peer_bandwidth ? fmt::format("{}", row.peer_bandwidth->average) : "",
                        row.received_ratio ? fmt::format("{}", *row.received_ratio) : "");
  }
  return text;
}

core::Result<BenchRun> read_bench_json(std::string_view text) {
  return probes::read_document("the stored run", text, kMostBytes, [](CheckedObject& root) {
    BenchRun run;
    if (root.number("schema_version", 1) != 1) root.fail("schema_version is not 1");
    run.plan.operation =
        static_cast<probes::RcOperation>(root.word("operation", probes::kBenchOperationNames));
    run.plan.transport =
        static_cast<probes::BenchTransport>(root.word("transport", probes::kBenchTransportNames));
    run.plan.bidirectional = root.flag("bidirectional");
    run.plan.pairs = root.number("queue_pairs", probes::kMaxBenchPairs);
    root.each("rows", kMostRows, [&run](CheckedObject& from) {
      BenchRow row{.size = from.number("size_bytes", probes::kMaxBenchSize)};
      row.latency = read_latency(from);
      row.bandwidth = read_bandwidth(from);
      run.rows.push_back(row);
    });
    return run;
  });
}

}  // namespace rdmadiag::cli
