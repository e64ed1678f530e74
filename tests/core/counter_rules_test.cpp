#include <catch2/catch.hpp>

#include "agent/core/diagnose/rules.h"
#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

namespace {

// For each rule the smallest increase in ten seconds that it reports, and the one below.
struct Case {
  const char* rule;
  const char* metric;
  std::uint64_t fires;
  std::uint64_t silent;
  FindingSeverity severity = FindingSeverity::kWarning;
};

const Case kCases[] = {
    {"link-flapping", "rdma_port_link_downed_total", 1, 0},
    {"link-flapping", "rdma_link_downed_total", 1, 0},
    {"link-recoveries", "rdma_port_link_error_recovery_total", 1, 0},
    {"link-symbol-errors", "rdma_port_symbol_errors_total", 2, 1},
    {"link-integrity", "rdma_port_local_link_integrity_errors_total", 1, 0},
    {"link-integrity", "rdma_port_excessive_buffer_overruns_total", 1, 0},
    {"link-receive-errors", "rdma_port_rx_errors_total", 2, 1},
    {"link-remote-errors", "rdma_port_rx_remote_physical_errors_total", 2, 1},
    {"transmit-discards", "rdma_port_tx_discards_total", 2, 1},
    {"transport-retry-exceeded", "rdma_retry_exceeded_total", 1, 0, FindingSeverity::kCritical},
    {"transport-rnr-retry-exceeded", "rdma_rnr_retry_exceeded_total", 1, 0,
     FindingSeverity::kCritical},
    {"transport-ack-timeouts", "rdma_ack_timeouts_total", 2, 1},
    {"transport-retransmits", "rdma_retransmit_packets_total", 2, 1},
    {"transport-retransmits", "rdma_retransmit_events_total", 2, 1},
    {"transport-retransmits", "rdma_adaptive_retransmits_total", 2, 1},
    {"transport-sequence-naks", "rdma_seq_nak_received_total", 2, 1},
    {"transport-sequence-naks", "rdma_implied_nak_total", 2, 1},
    {"transport-out-of-sequence", "rdma_out_of_sequence_received_total", 2, 1},
    {"transport-duplicates", "rdma_duplicate_requests_received_total", 2, 1},
    {"transport-rnr-received", "rdma_rnr_nak_received_total", 2, 1},
    {"transport-rnr-sent", "rdma_rnr_nak_sent_total", 2, 1},
    {"transport-icrc-errors", "rdma_icrc_errors_total", 2, 1},
    {"transport-access-errors", "rdma_requester_remote_access_errors_total", 1, 0},
    {"transport-access-errors", "rdma_responder_remote_access_errors_total", 1, 0},
    {"congestion-marks", "rdma_ecn_marked_received_total", 100, 99},
    {"queue-cq-overflow", "rdma_cq_overflows_total", 1, 0, FindingSeverity::kCritical},
    {"queue-eq-overrun", "rdma_completion_eq_overruns_total", 1, 0, FindingSeverity::kCritical},
    {"queue-eq-overrun", "rdma_async_eq_overruns_total", 1, 0, FindingSeverity::kCritical},
    {"queue-no-buffer", "rdma_rx_no_buffer_drops_total", 2, 1},
    {"queue-completion-errors", "rdma_requester_cqe_errors_total", 1, 0},
    {"queue-completion-errors", "rdma_responder_cqe_errors_total", 1, 0},
};

}  // namespace

TEST_CASE("a counter rule fires at its threshold and is silent just below") {
  for (const Case& c : kCases) {
    INFO(c.rule << " by " << c.metric);
    TwoLooks fires;
    fires.count(c.metric, 7, 7 + c.fires);
    const Diagnosis loud = fires.diagnose();
    const Finding* finding = find(loud, c.rule);
    REQUIRE(finding != nullptr);
    CHECK(finding->severity == c.severity);
    CHECK(finding->subject.device == "mlx5_0");
    CHECK(finding->found.find(std::to_string(c.fires)) != std::string::npos);
    CHECK_FALSE(finding->next_step.empty());

    TwoLooks silent;
    silent.count(c.metric, 7, 7 + c.silent);
    CHECK(find(silent.diagnose(), c.rule) == nullptr);
  }
}

TEST_CASE("a counter rule without its signal says so instead of passing") {
  for (const Case& c : kCases) {
    INFO(c.rule);
    TwoLooks nothing;
    const Diagnosis diagnosis = nothing.diagnose();
    CHECK(find(diagnosis, c.rule) == nullptr);
    REQUIRE(find_unknown(diagnosis, c.rule) != nullptr);
    CHECK(find_unknown(diagnosis, c.rule)->reason == "the driver has no such counter");
  }
}

TEST_CASE("a counter that is there and cannot be read is not one that the driver lacks") {
  const auto reason = [](std::vector<ReadIssue> issues, std::string_view rule) {
    TwoLooks looks;
    looks.now.issues = std::move(issues);
    const Diagnosis diagnosis = looks.diagnose();
    const Unknown* unknown = find_unknown(diagnosis, rule);
    return unknown == nullptr ? std::string() : unknown->reason;
  };
  const auto port_issue = [](const std::string& path, IssueReason why, Source source) {
    ReadIssue issue;
    issue.source = source;
    issue.path = "/sys/class/infiniband/mlx5_0/" + path;
    issue.reason = why;
    return std::vector<ReadIssue>{issue};
  };
  constexpr auto kCounters = Source::kSysfsCounters;
  constexpr auto kHardware = Source::kSysfsHwCounters;
  constexpr auto kEperm = IssueReason::kEperm;
  const std::string kUnread = "the counter cannot be read (eperm)";
  const std::string kNone = "the driver has no such counter";

  const auto symbol_error = port_issue("ports/1/counters/symbol_error", kEperm, kCounters);
  CHECK(reason(symbol_error, "link-symbol-errors") == kUnread);
  CHECK(reason(symbol_error, "link-recoveries") == kNone);
  CHECK(reason(port_issue("ports/2/counters/symbol_error", kEperm, kCounters),
               "link-symbol-errors") == kNone);
  CHECK(reason(port_issue("ports/1/hw_counters/duplicate_request", kEperm, kHardware),
               "transport-duplicates") == kUnread);
  CHECK(reason(port_issue("ports/1/hw_counters", kEperm, kHardware), "transport-duplicates") ==
        kUnread);
  CHECK(reason(port_issue("hw_counters", kEperm, kHardware), "queue-cq-overflow") == kUnread);
  CHECK(reason(port_issue("ports/1/counters/symbol_error", IssueReason::kTimeout, kCounters),
               "link-symbol-errors") == "the counter cannot be read (timeout)");
  // How kernels say that there is nothing.
  CHECK(reason(port_issue("ports/1/counters/symbol_error", IssueReason::kEinval, kCounters),
               "link-symbol-errors") == kNone);
  auto no_pma = port_issue("ports/1/counters/symbol_error", IssueReason::kParse, kCounters);
  CHECK(reason(no_pma, "link-symbol-errors") == "the counter cannot be read (parse)");
  no_pma.front().detail = "N/A (no PMA)\\n";
  CHECK(reason(no_pma, "link-symbol-errors") == kNone);
}

TEST_CASE("a port that cannot be read is not called well") {
  TwoLooks looks;
  looks.count("rdma_port_symbol_errors_total", 7, 7);
  CHECK(looks.diagnose().exit_code() == 0);

  TwoLooks stateless = looks;
  stateless.port_now().state.reset();
  CHECK(stateless.diagnose().exit_code() == 3);
  REQUIRE(stateless.diagnose().unreadable.size() == 1);
  CHECK(stateless.diagnose().unreadable.front().port == 1);

  ReadIssue issue;
  issue.source = Source::kSysfsCounters;
  issue.path = "/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed";
  issue.reason = IssueReason::kEperm;
  TwoLooks one_odd_file = looks;
  one_odd_file.now.issues = {issue};
  CHECK(one_odd_file.diagnose().exit_code() == 0);
  TwoLooks every_file = one_odd_file;
  every_file.port_now().counters.clear();
  CHECK(every_file.diagnose().exit_code() == 3);
  every_file.now.issues.front().reason = IssueReason::kEinval;
  CHECK(every_file.diagnose().exit_code() == 0);

  // What is known to be wrong is still said.
  TwoLooks broken = stateless;
  broken.now.ports.push_back(looks.port_now());
  broken.now.ports.back().number = 2;
  broken.now.ports.back().state = 1;
  CHECK(broken.diagnose().exit_code() == 2);
}

TEST_CASE("a counter that fell is a new baseline, not an alarm") {
  TwoLooks reset;
  reset.count("rdma_ack_timeouts_total", 1000, 3);
  const Diagnosis diagnosis = reset.diagnose();
  CHECK(find(diagnosis, "transport-ack-timeouts") == nullptr);
  REQUIRE(find_unknown(diagnosis, "transport-ack-timeouts") != nullptr);
  CHECK(find_unknown(diagnosis, "transport-ack-timeouts")->reason ==
        "the counter was reset between the two looks, or not read at the first");
}

TEST_CASE("lifetime totals never alarm, they inform") {
  TwoLooks flapped_at_boot;
  flapped_at_boot.count("rdma_port_link_downed_total", 3, 3);
  CHECK(find(flapped_at_boot.diagnose(), "link-flapping") == nullptr);

  const Diagnosis one_look = flapped_at_boot.diagnose_one_look();
  REQUIRE(find(one_look, "link-flapping") != nullptr);
  CHECK(find(one_look, "link-flapping")->severity == FindingSeverity::kInfo);
  CHECK(one_look.exit_code() == 0);
}

TEST_CASE("loss that is tiny against the traffic is not reported") {
  TwoLooks busy;
  busy.count("rdma_port_rx_packets_total", 0, 1'000'000'000);
  busy.count("rdma_out_of_sequence_received_total", 0, 1000);  // exactly one in a million
  CHECK(find(busy.diagnose(), "transport-out-of-sequence") == nullptr);

  TwoLooks lossy;
  lossy.count("rdma_port_rx_packets_total", 0, 1'000'000'000);
  lossy.count("rdma_out_of_sequence_received_total", 0, 1001);
  CHECK(find(lossy.diagnose(), "transport-out-of-sequence") != nullptr);
}

TEST_CASE("completions flushed by a closing queue pair are no errors") {
  TwoLooks closing;
  closing.count("rdma_requester_cqe_errors_total", 0, 50);
  closing.count("rdma_requester_cqe_flush_errors_total", 0, 50);
  CHECK(find(closing.diagnose(), "queue-completion-errors") == nullptr);

  TwoLooks failing;
  failing.count("rdma_requester_cqe_errors_total", 0, 51);
  failing.count("rdma_requester_cqe_flush_errors_total", 0, 50);
  CHECK(find(failing.diagnose(), "queue-completion-errors") != nullptr);
}

TEST_CASE("a congestion loop is broken where marks or notifications lead nowhere") {
  constexpr auto kRule = "congestion-loop-broken";
  TwoLooks no_notification;
  no_notification.count("rdma_ecn_marked_received_total", 0, 100);
  no_notification.count("rdma_cnp_sent_total", 9, 9);
  CHECK(find(no_notification.diagnose(), kRule) != nullptr);

  TwoLooks too_few;
  too_few.count("rdma_ecn_marked_received_total", 0, 99);
  too_few.count("rdma_cnp_sent_total", 9, 9);
  CHECK(find(too_few.diagnose(), kRule) == nullptr);

  TwoLooks ignored;
  ignored.count("rdma_cnp_handled_total", 5, 5);
  ignored.count("rdma_cnp_ignored_total", 0, 100);
  CHECK(find(ignored.diagnose(), kRule) != nullptr);

  TwoLooks obeyed;
  obeyed.count("rdma_cnp_handled_total", 5, 6);
  obeyed.count("rdma_cnp_ignored_total", 0, 100);
  CHECK(find(obeyed.diagnose(), kRule) == nullptr);

  TwoLooks blind;
  REQUIRE(find_unknown(blind.diagnose(), kRule) != nullptr);
}

TEST_CASE("another card under the same name gives no rates") {
  TwoLooks swapped;
  swapped.count("rdma_ack_timeouts_total", 0, 1000);
  swapped.now.node_guid = "0c42:a103:0065:ffff";
  const Diagnosis diagnosis = swapped.diagnose();
  const Finding* finding = find(diagnosis, "transport-ack-timeouts");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == FindingSeverity::kInfo);
}
