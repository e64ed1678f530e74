// Short phrases that the terminal and the page say in the same words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/agent_status.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::exporters {

// How well something is, for colour and for words beside it.
enum class Wellness : std::uint8_t { kGood, kWarning, kBad, kUnknown };

struct Verdict {
  Wellness wellness = Wellness::kUnknown;
  std::string text;
};

[[nodiscard]] Wellness wellness_of(core::FindingSeverity severity);

// "2 critical findings, 1 warning", "healthy", "no RDMA device".
[[nodiscard]] Verdict host_verdict(const core::HostSnapshot& host, const core::AgentStatus& agent);

// Of a host without devices, why: that there are none, or what could not be listed.
[[nodiscard]] std::string no_device_text(const core::HostSnapshot& host);

// "5 devices, 6 ports, 5 up".
[[nodiscard]] std::string host_counts(const core::HostSnapshot& host);

// "ACTIVE", "DOWN/Polling", "stuck for 12 s", "gone".
[[nodiscard]] Verdict port_state(const core::PortSnapshot& port);
[[nodiscard]] Verdict absent_state(const core::DeviceEntry& entry);

// "400 Gb/s 4X NDR"; empty unless ACTIVE, since other ports show a made-up rate.
[[nodiscard]] std::string port_rate(const core::PortSnapshot& port);
[[nodiscard]] std::string expected_rate(const core::PortStatus* status);

// The warnings and critical findings about that port, or with port 0 about the device as a whole.
[[nodiscard]] std::vector<const core::Finding*> findings_of(const core::Diagnosis& diagnosis,
                                                            std::string_view device,
                                                            std::uint32_t port);

// "link-down, link-flapping".
[[nodiscard]] std::string rules_text(const std::vector<const core::Finding*>& findings);

// "3 einval, 1 parse" of the values that could not be read; empty without any.
[[nodiscard]] std::string issue_counts(const std::vector<core::ReadIssue>& issues);

// "x8 16 GT/s (of x16 32 GT/s)"; the part in brackets only where it can be more.
[[nodiscard]] std::string pcie_text(const core::PcieSnapshot& pcie);

// "12 s", "3 min", "250 ms".
[[nodiscard]] std::string age_text(std::chrono::nanoseconds age);

// "1234567" stays, larger ones too: exact digits, grouped: "1 234 567".
[[nodiscard]] std::string grouped(std::uint64_t value);

// In the metric's base unit, for people: "1.25 GB/s", "12/s", "0.5/s".
[[nodiscard]] std::string per_second_text(double per_second, std::string_view metric);

}  // namespace rdmadiag::exporters
