#include "probes/bench/message.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "probes/checked_json.h"
#include "probes/control_message.h"

namespace rdmadiag::probes {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53;
constexpr double kMostReal = 1e18;
constexpr std::size_t kProblemBytes = 4 * kMaxNameBytes;
constexpr std::uint64_t kMostNanoseconds = 3'600'000'000'000;
constexpr std::array<const char*, 4> kActions = {"begin", "alive", "end", "close"};

std::string text_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Names, class Value>
const char* name_of(const Names& names, Value value) {
  return names.at(static_cast<std::size_t>(value));
}

Json plan_json(const BenchPlan& plan) {
  Json json = {{"operation", name_of(kBenchOperationNames, plan.operation)},
               {"transport", name_of(kBenchTransportNames, plan.transport)},
               {"largest", plan.largest},
               {"pairs", plan.pairs},
               {"depth", plan.depth},
               {"moderation", plan.moderation},
               {"mtu", plan.mtu},
               {"bidirectional", plan.bidirectional},
               {"events", plan.events}};
  if (plan.inline_bytes) json["inline"] = *plan.inline_bytes;
  return json;
}

BenchPlan read_plan(CheckedObject& from) {
  BenchPlan plan;
  plan.operation = static_cast<RcOperation>(from.word("operation", kBenchOperationNames));
  plan.transport = static_cast<BenchTransport>(from.word("transport", kBenchTransportNames));
  plan.largest = from.number("largest", kMaxBenchSize);
  plan.pairs = from.number("pairs", kMaxBenchPairs);
  plan.depth = from.number("depth", kMaxBenchDepth);
  plan.moderation = from.number("moderation", kMaxBenchDepth);
  plan.mtu = from.number("mtu", 4096);
  plan.bidirectional = from.flag("bidirectional");
  plan.events = from.flag("events");
  if (const auto bytes = from.real("inline", 0, 4096)) {
    plan.inline_bytes = static_cast<std::uint32_t>(*bytes);
  }
  return plan;
}

// Ends are whole documents of the control channel, so that there is one reader of them.
Json ends_json(const std::vector<RcParameters>& ends) {
  Json list = Json::array();
  for (const RcParameters& end : ends) {
    Json entry = Json::object();
    entry["end"] = encode_rc_parameters(end);
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<RcParameters> read_ends(CheckedObject& from) {
  std::vector<RcParameters> ends;
  from.each("ends", kMaxBenchPairs, [&ends](CheckedObject& entry) {
    auto end = decode_rc_parameters(entry.text("end", 1024, CheckedObject::Empty::kRefused));
    if (!end) return entry.fail(end.error().message());
    ends.push_back(*end);
  });
  return ends;
}

Json figures_json(const BandwidthFigures& figures) {
  return {{"messages", figures.messages}, {"bytes", figures.bytes}, {"seconds", figures.seconds},
          {"average", figures.average},   {"peak", figures.peak},   {"rate", figures.rate}};
}

BandwidthFigures read_figures(CheckedObject& from) {
  BandwidthFigures figures;
  figures.messages = from.number64("messages", kMostCount);
  figures.bytes = from.number64("bytes", std::numeric_limits<std::uint64_t>::max());
  figures.seconds = from.real("seconds", 0, kMostReal).value_or(0);
  figures.average = from.real("average", 0, kMostReal).value_or(0);
  figures.peak = from.real("peak", 0, kMostReal).value_or(0);
  figures.rate = from.real("rate", 0, kMostReal).value_or(0);
  return figures;
}

}  // namespace

std::string encode_bench(const BenchOffer& offer) {
  return text_of({{"from", offer.from},
                  {"device", offer.device},
                  {"protocol", core::protocol_name(offer.protocol)},
                  {"plan", plan_json(offer.plan)},
                  {"qkey", offer.qkey},
                  {"reads", offer.reads},
                  {"ends", ends_json(offer.ends)}});
}

core::Result<BenchOffer> decode_bench_offer(std::string_view json) {
  return read_document("bench", json, kMaxControlBytes, [](CheckedObject& root) {
    BenchOffer offer;
    offer.from = root.text("from", 3 * kMaxNameBytes, CheckedObject::Empty::kRefused);
    offer.device = root.name("device");
    offer.protocol = core::parse_protocol(root.name("protocol", CheckedObject::Empty::kRefused));
    root.within("plan", [&offer](CheckedObject& plan) { offer.plan = read_plan(plan); });
    offer.qkey = root.number("qkey", kMax32);
    offer.reads = root.number("reads", 255);
    offer.ends = read_ends(root);
    if (offer.ends.size() != offer.plan.pairs) root.fail("one end for each queue pair is wanted");
    return offer;
  });
}

std::string encode_bench(const BenchAnswer& answer) {
  return text_of({{"run", answer.run},
                  {"device", answer.device},
                  {"placement", answer.placement},
                  {"most_seconds", answer.most_seconds},
                  {"qkey", answer.qkey},
                  {"reads", answer.reads},
                  {"ends", ends_json(answer.ends)}});
}

core::Result<BenchAnswer> decode_bench_answer(std::string_view json) {
  return read_document("bench", json, kMaxControlBytes, [](CheckedObject& root) {
    BenchAnswer answer;
    answer.run = root.name("run", CheckedObject::Empty::kRefused);
    answer.device = root.name("device");
    answer.placement = root.text("placement", 4 * kMaxNameBytes);
    answer.most_seconds = root.number("most_seconds", kMax32);
    answer.qkey = root.number("qkey", kMax32);
    answer.reads = root.number("reads", 255);
    answer.ends = read_ends(root);
    return answer;
  });
}

std::string encode_bench(const BenchCommand& command) {
  return text_of({{"run", command.run},
                  {"action", name_of(kActions, command.action)},
                  {"metric", name_of(kBenchMetricNames, command.metric)},
                  {"size", command.size},
                  {"nanoseconds", command.limit.duration.count()},
                  {"iterations", command.limit.iterations}});
}

core::Result<BenchCommand> decode_bench_command(std::string_view json) {
  return read_document("bench", json, kMaxControlBytes, [](CheckedObject& root) {
    BenchCommand command;
    command.run = root.name("run", CheckedObject::Empty::kRefused);
    command.action = static_cast<BenchAction>(root.word("action", kActions));
    command.metric = static_cast<BenchMetric>(root.word("metric", kBenchMetricNames));
    command.size = root.number("size", kMaxBenchSize);
    command.limit.duration = std::chrono::nanoseconds(
        static_cast<std::int64_t>(root.number64("nanoseconds", kMostNanoseconds)));
    command.limit.iterations = root.number64("iterations", kMostCount);
    return command;
  });
}

std::string encode_bench(const BenchReport& report) {
  return text_of({{"problem", report.problem.substr(0, kProblemBytes)},
                  {"received", report.received},
                  {"sent", figures_json(report.sent)}});
}

core::Result<BenchReport> decode_bench_report(std::string_view json) {
  return read_document("bench", json, kMaxControlBytes, [](CheckedObject& root) {
    BenchReport report;
    report.problem = root.text("problem", kProblemBytes);
    report.received = root.number64("received", kMostCount);
    root.within("sent", [&report](CheckedObject& sent) { report.sent = read_figures(sent); });
    return report;
  });
}

}  // namespace rdmadiag::probes
