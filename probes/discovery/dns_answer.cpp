#include "probes/discovery/dns_answer.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <limits>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kSrvTarget = 6;  // after priority, weight and port (RFC 2782)

std::optional<DnsAnswer::Address> numeric_address(int family, std::size_t size,
                                                  const ns_rr& record) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (ns_rr_rdlen(record) != size ||
      inet_ntop(family, ns_rr_rdata(record), text.data(), text.size()) == nullptr) {
    return std::nullopt;
  }
  const std::string host = text.data();
  return DnsAnswer::Address{family == AF_INET6 ? "[" + host + "]" : host, 0};
}

std::optional<DnsAnswer::Address> service(const ns_msg& message, const ns_rr& record) {
  std::array<char, NS_MAXDNAME> name{};
  const unsigned char* data = ns_rr_rdata(record);
  if (ns_rr_rdlen(record) <= kSrvTarget ||
      ns_name_uncompress(ns_msg_base(message), ns_msg_end(message), data + kSrvTarget, name.data(),
                         name.size()) < 0) {
    return std::nullopt;
  }
  return DnsAnswer::Address{name.data(), static_cast<std::uint16_t>(ns_get16(data + 4))};
}

std::optional<DnsAnswer::Address> address_of(const ns_msg& message, const ns_rr& record,
                                             DnsType type) {
  switch (type) {
    case DnsType::kA: return numeric_address(AF_INET, sizeof(in_addr), record);
    case DnsType::kAaaa: return numeric_address(AF_INET6, sizeof(in6_addr), record);
    case DnsType::kSrv: return service(message, record);
  }
  return std::nullopt;
}

}  // namespace

core::Result<DnsAnswer> parse_dns_answer(std::span<const unsigned char> message, DnsType type) {
  ns_msg parsed{};
  if (message.size() > std::numeric_limits<int>::max() ||
      ns_initparse(message.data(), static_cast<int>(message.size()), &parsed) != 0) {
    return core::fail("malformed DNS answer");
  }
  DnsAnswer answer;
  for (int i = 0; i < ns_msg_count(parsed, ns_s_an); ++i) {
    ns_rr record{};
    if (ns_parserr(&parsed, ns_s_an, i, &record) != 0) return core::fail("malformed DNS answer");
    if (ns_rr_type(record) != static_cast<int>(type) || ns_rr_class(record) != ns_c_in) continue;
    auto address = address_of(parsed, record, type);
    if (!address) return core::fail("malformed DNS record");
    // "." as a target: the service is decidedly not available.
    if (type == DnsType::kSrv && (address->host.empty() || address->host == ".")) continue;
    answer.addresses.push_back(std::move(*address));
    const std::chrono::seconds ttl(ns_rr_ttl(record));
    answer.ttl = std::min(answer.ttl.value_or(ttl), ttl);
  }
  return answer;
}

}  // namespace rdmadiag::probes
