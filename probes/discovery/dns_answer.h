// A name server's answer as bytes, and the addresses in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/core/result.h"

namespace rdmadiag::probes {

enum class DnsType : std::uint16_t { kA = 1, kAaaa = 28, kSrv = 33 };

struct DnsAnswer {
  struct Address {
    std::string host;        // a name for SRV, else the numeric address
    std::uint16_t port = 0;  // SRV only

    bool operator==(const Address&) const = default;
  };
  std::vector<Address> addresses = {};
  // The shortest of the records' times to live; empty without records.
  std::optional<std::chrono::seconds> ttl = {};
};

// Records of other types (CNAMEs on the way) are passed over.
[[nodiscard]] core::Result<DnsAnswer> parse_dns_answer(std::span<const unsigned char> message,
                                                       DnsType type);

}  // namespace rdmadiag::probes
