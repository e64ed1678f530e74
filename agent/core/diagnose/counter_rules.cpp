// The rules that are one comparison each: some counters rose faster than a threshold.
#include <fmt/format.h>

#include <array>

#include "agent/core/diagnose/counter_sums.h"
#include "agent/core/diagnose/missing.h"
#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

using Metrics = std::array<std::string_view, 3>;

struct CounterRule {
  std::string_view rule;
  MetricScope scope;
  std::string_view what;  // "ACK time-outs"
  Metrics metrics;        // summed; empty names are not used
  double minimum;         // increase below this is never reported: one event is no rate
  double per_second;      // reported only above this rate
  double per_packet;      // and above this share of the packets of the same direction; 0: not asked
  std::string_view threshold;  // the same for people, with its source
};

constexpr double kPerHour = 1.0 / 3600;
constexpr std::string_view kNoBaseline =
    "the counter was reset between the two looks, or not read at the first";

// Thresholds. Symbol errors: a bit error ratio of 1e-12, the InfiniBand specification's limit,
// gives 120 errors an hour at 4X QDR's 32 Gb/s. Transport errors: one in 10^5 packets costs a
// go-back-N sender about a tenth of its throughput at a window of 10^4 packets, so a tenth of that
// is reported.
constexpr std::array kCounterRules = {
    CounterRule{"link-flapping",
                MetricScope::kPort,
                "link downs",
                {"rdma_port_link_downed_total", "rdma_link_downed_total"},
                1,
                0,
                0,
                "none"},
    CounterRule{"link-recoveries",
                MetricScope::kPort,
                "link error recoveries",
                {"rdma_port_link_error_recovery_total"},
                1,
                0,
                0,
                "none"},
    CounterRule{"link-symbol-errors",
                MetricScope::kPort,
                "symbol errors",
                {"rdma_port_symbol_errors_total"},
                2,
                120 * kPerHour,
                0,
                "at most 120 an hour (bit error ratio 1e-12)"},
    CounterRule{"link-integrity",
                MetricScope::kPort,
                "integrity errors",
                {"rdma_port_local_link_integrity_errors_total",
                 "rdma_port_excessive_buffer_overruns_total"},
                1,
                0,
                0,
                "none"},
    CounterRule{"link-receive-errors",
                MetricScope::kPort,
                "receive errors",
                {"rdma_port_rx_errors_total"},
                2,
                120 * kPerHour,
                0,
                "at most 120 an hour"},
    CounterRule{"link-remote-errors",
                MetricScope::kPort,
                "packets marked bad upstream",
                {"rdma_port_rx_remote_physical_errors_total"},
                2,
                120 * kPerHour,
                0,
                "at most 120 an hour"},
    CounterRule{"transmit-discards",
                MetricScope::kPort,
                "transmit discards",
                {"rdma_port_tx_discards_total"},
                2,
                0.1,
                0,
                "at most 0.1/s"},
    CounterRule{"transport-retry-exceeded",
                MetricScope::kPort,
                "retries exceeded",
                {"rdma_retry_exceeded_total"},
                1,
                0,
                0,
                "none"},
    CounterRule{"transport-rnr-retry-exceeded",
                MetricScope::kPort,
                "RNR retries exceeded",
                {"rdma_rnr_retry_exceeded_total"},
                1,
                0,
                0,
                "none"},
    CounterRule{"transport-ack-timeouts",
                MetricScope::kPort,
                "ACK time-outs",
                {"rdma_ack_timeouts_total"},
                2,
                0.1,
                0,
                "at most 0.1/s"},
    CounterRule{"transport-retransmits",
                MetricScope::kPort,
                "retransmissions",
                {"rdma_retransmit_packets_total", "rdma_retransmit_events_total",
                 "rdma_adaptive_retransmits_total"},
                2,
                0.1,
                1e-6,
                "at most 0.1/s and 1e-6 of packets"},
    CounterRule{"transport-sequence-naks",
                MetricScope::kPort,
                "sequence-error NAKs received",
                {"rdma_seq_nak_received_total", "rdma_implied_nak_total"},
                2,
                0.1,
                1e-6,
                "at most 0.1/s and 1e-6 of packets"},
    CounterRule{"transport-out-of-sequence",
                MetricScope::kPort,
                "packets out of sequence",
                {"rdma_out_of_sequence_received_total"},
                2,
                0.1,
                1e-6,
                "at most 0.1/s and 1e-6 of packets"},
    CounterRule{"transport-duplicates",
                MetricScope::kPort,
                "duplicate requests",
                {"rdma_duplicate_requests_received_total"},
                2,
                0.1,
                1e-6,
                "at most 0.1/s and 1e-6 of packets"},
    CounterRule{"transport-rnr-received",
                MetricScope::kPort,
                "RNR NAKs received",
                {"rdma_rnr_nak_received_total"},
                2,
                0.1,
                0,
                "at most 0.1/s"},
    CounterRule{"transport-rnr-sent",
                MetricScope::kPort,
                "RNR NAKs sent",
                {"rdma_rnr_nak_sent_total"},
                2,
                0.1,
                0,
                "at most 0.1/s"},
    CounterRule{"transport-icrc-errors",
                MetricScope::kPort,
                "ICRC errors",
                {"rdma_icrc_errors_total"},
                2,
                120 * kPerHour,
                0,
                "at most 120 an hour"},
    CounterRule{
        "transport-access-errors",
        MetricScope::kPort,
        "remote access errors",
        {"rdma_requester_remote_access_errors_total", "rdma_responder_remote_access_errors_total"},
        1,
        0,
        0,
        "none"},
    CounterRule{"congestion-marks",
                MetricScope::kPort,
                "packets marked",
                {"rdma_ecn_marked_received_total"},
                100,
                1,
                1e-3,
                "at most 0.1 % of packets"},
    CounterRule{"queue-cq-overflow",
                MetricScope::kDevice,
                "CQ overflows",
                {"rdma_cq_overflows_total"},
                1,
                0,
                0,
                "none"},
    CounterRule{"queue-eq-overrun",
                MetricScope::kDevice,
                "EQ overruns",
                {"rdma_completion_eq_overruns_total", "rdma_async_eq_overruns_total"},
                1,
                0,
                0,
                "none"},
    CounterRule{"queue-no-buffer",
                MetricScope::kPort,
                "packets without a receive buffer",
                {"rdma_rx_no_buffer_drops_total"},
                2,
                0.1,
                0,
                "at most 0.1/s"},
};

// Packets of both directions; `counters` keeps RDMA packets where it has them, hw_counters else.
std::optional<double> packets_moved(const CounterSums& sums) {
  static const MetricSet kPackets{"rdma_port_rx_packets_total", "rdma_port_tx_packets_total"};
  static const MetricSet kTransportPackets{"rdma_rx_packets_total", "rdma_tx_packets_total"};
  if (const auto packets = sums.increase(kPackets)) return packets;
  return sums.increase(kTransportPackets);
}

// The metrics of each rule, in the order of kCounterRules.
const std::vector<MetricSet>& rule_metrics() {
  static const std::vector<MetricSet> kSets = [] {
    std::vector<MetricSet> sets;
    for (const CounterRule& rule : kCounterRules) sets.emplace_back(std::span(rule.metrics));
    return sets;
  }();
  return kSets;
}

// The counters of one port, or of a device itself, at both looks.
struct Look {
  const DeviceSnapshot* device;
  Subject subject;  // port 0: the device itself
  CounterSums sums;
  double seconds;
};

void tell_missing(std::string_view rule, const Look& look, const MetricSet& metrics,
                  Report& report) {
  if (!report.lists_unknown()) return;
  report.could_not_tell(rule, look.subject, why_missing(*look.device, look.subject.port, metrics));
}

void judge(const CounterRule& rule, const MetricSet& metrics, const Look& look, Report& report) {
  const std::optional<double> total = look.sums.total(metrics);
  if (!total) {
    tell_missing(rule.rule, look, metrics, report);
    return;
  }
  if (!look.sums.has_before()) {
    if (*total >= rule.minimum && rule.per_packet == 0) {
      report.add(rule.rule, look.subject, FindingSeverity::kInfo,
                 fmt::format("{} {} since they were last reset; one look gives no rate",
                             number_text(*total), rule.what),
                 std::string(rule.threshold));
    }
    report.could_not_tell(rule.rule, look.subject, "one look gives no rate");
    return;
  }
  const std::optional<double> increase = look.sums.increase(metrics);
  if (!increase) {
    report.could_not_tell(rule.rule, look.subject, kNoBaseline);
    return;
  }
  const double rate = *increase / look.seconds;
  if (*increase < rule.minimum || rate <= rule.per_second) return;
  std::string found = fmt::format("{} {} in {} s ({}/s)", number_text(*increase), rule.what,
                                  number_text(look.seconds), number_text(rate));
  if (rule.per_packet > 0) {
    const auto packets = packets_moved(look.sums);
    if (packets && *packets > 0) {
      const double share = *increase / *packets;
      if (share <= rule.per_packet) return;
      found += fmt::format(", {} % of packets", number_text(share * 100));
    }
  }
  report.add(rule.rule, look.subject, std::move(found), std::string(rule.threshold));
}

void judge_all(MetricScope scope, const Look& look, Report& report) {
  const std::vector<MetricSet>& metrics = rule_metrics();
  for (std::size_t i = 0; i < kCounterRules.size(); ++i) {
    if (kCounterRules[i].scope == scope) judge(kCounterRules[i], metrics[i], look, report);
  }
}

// The share of completions with an error that are not just the flush of a closing queue pair.
void check_completion_errors(const Look& look, Report& report) {
  static const MetricSet kErrors{"rdma_requester_cqe_errors_total",
                                 "rdma_responder_cqe_errors_total"};
  static const MetricSet kFlushes{"rdma_requester_cqe_flush_errors_total",
                                  "rdma_responder_cqe_flush_errors_total"};
  constexpr std::string_view kRule = "queue-completion-errors";
  if (!look.sums.total(kErrors)) {
    tell_missing(kRule, look, kErrors, report);
    return;
  }
  if (!look.sums.has_before()) {
    report.could_not_tell(kRule, look.subject, "one look gives no rate");
    return;
  }
  const auto errors = look.sums.increase(kErrors);
  if (!errors) {
    report.could_not_tell(kRule, look.subject, kNoBaseline);
    return;
  }
  const double flushes = look.sums.increase(kFlushes).value_or(0);
  if (*errors <= flushes) return;
  report.add(kRule, look.subject,
             fmt::format("{} completions with errors in {} s, flushes not counted",
                         number_text(*errors - flushes), number_text(look.seconds)),
             "none");
}

// Marks must lead to notifications, and notifications to slow-down.
void check_congestion_loop(const Look& look, Report& report) {
  static const MetricSet kMarked{"rdma_ecn_marked_received_total"};
  static const MetricSet kSent{"rdma_cnp_sent_total"};
  static const MetricSet kHandled{"rdma_cnp_handled_total"};
  static const MetricSet kIgnored{"rdma_cnp_ignored_total"};
  constexpr std::string_view kRule = "congestion-loop-broken";
  constexpr double kEnough = 100;  // fewer marks may simply fall into one notification's interval
  const CounterSums& sums = look.sums;
  const bool receives = sums.total(kMarked) && sums.total(kSent);
  const bool reacts = sums.total(kHandled) && sums.total(kIgnored);
  if (!receives && !reacts) {
    tell_missing(kRule, look, sums.total(kMarked) ? kSent : kMarked, report);
    return;
  }
  if (!sums.has_before()) {
    report.could_not_tell(kRule, look.subject, "one look gives no rate");
    return;
  }
  const auto marked = sums.increase(kMarked);
  const auto sent = sums.increase(kSent);
  const auto handled = sums.increase(kHandled);
  const auto ignored = sums.increase(kIgnored);
  if (!(marked && sent) && !(handled && ignored)) {
    report.could_not_tell(kRule, look.subject, kNoBaseline);
    return;
  }
  if (marked && sent && *marked >= kEnough && *sent == 0) {
    report.add(
        kRule, look.subject,
        fmt::format("{} marked packets arrived, no notification was sent", number_text(*marked)),
        "a notification for marked flows");
  }
  if (handled && ignored && *ignored >= kEnough && *handled == 0) {
    report.add(kRule, look.subject,
               fmt::format("{} notifications arrived, all were ignored", number_text(*ignored)),
               "the sender slows down");
  }
}

}  // namespace

void check_counters(const Comparison& seen, Report& report) {
  for (const DeviceView& device : seen.devices()) {
    for (const PortView& port : device.ports) {
      const Look look{.device = device.now,
                      .subject = port.subject(),
                      .sums = {port.now->counters, port.before ? &port.before->counters : nullptr},
                      .seconds = device.seconds};
      judge_all(MetricScope::kPort, look, report);
      check_completion_errors(look, report);
      check_congestion_loop(look, report);
    }
    const Look look{
        .device = device.now,
        .subject = device.subject(),
        .sums = {device.now->counters, device.before ? &device.before->counters : nullptr},
        .seconds = device.seconds};
    judge_all(MetricScope::kDevice, look, report);
  }
}

}  // namespace rdmadiag::core
