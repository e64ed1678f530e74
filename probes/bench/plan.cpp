#include "probes/bench/plan.h"

#include <algorithm>
#include <charconv>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHeader = 40;  // in front of each datagram that is received
constexpr std::uint32_t kReceives = 512;

std::optional<std::uint32_t> parse_size(std::string_view text) {
  std::uint64_t factor = 1;
  if (!text.empty()) {
    const char unit = text.back();
    if (unit == 'K' || unit == 'k') factor = 1024;
    if (unit == 'M' || unit == 'm') factor = std::uint64_t{1024} * 1024;
    if (factor != 1) text.remove_suffix(1);
  }
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
  const std::uint64_t bytes = value * factor;
  if (bytes > kMaxBenchSize) return std::nullopt;
  return static_cast<std::uint32_t>(bytes);
}

core::Status add_part(std::string_view part, std::vector<std::uint32_t>& sizes) {
  const std::size_t dots = part.find("..");
  const auto first = parse_size(part.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : parse_size(part.substr(dots + 2));
  if (!first || !last) {
    return core::fail("'" + std::string(part) +
                      "' is no size such as 64, 4K or 2..1M (1 byte to 64M)");
  }
  if (*first > *last) {
    return core::fail("'" + std::string(part) + "' ends below where it begins");
  }
  for (std::uint64_t size = *first; size <= *last; size *= 2) {
    sizes.push_back(static_cast<std::uint32_t>(size));
  }
  return {};
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return text;
}

core::Status check_operation(const BenchPlan& plan, core::Protocol protocol) {
  const std::string transport =
      upper(kBenchTransportNames.at(static_cast<std::size_t>(plan.transport)));
  const std::string operation = kBenchOperationNames.at(static_cast<std::size_t>(plan.operation));
  if (plan.transport == BenchTransport::kUd && plan.operation != RcOperation::kSend) {
    return core::fail("UD has only send, not " + operation);
  }
  if (plan.transport == BenchTransport::kUc && plan.operation == RcOperation::kRead) {
    return core::fail("UC has no read, only send and write");
  }
  if (protocol == core::Protocol::kIwarp && plan.transport != BenchTransport::kRc) {
    return core::fail("iWARP has only RC, not " + transport);
  }
  // RFC 5044: the end that was called must not send first.
  if (protocol == core::Protocol::kIwarp && plan.bidirectional) {
    return core::fail("both ends cannot begin to send on iWARP");
  }
  return {};
}

core::Status check_numbers(const BenchPlan& plan) {
  const auto within = [](const char* what, std::uint32_t value,
                         std::uint32_t most) -> core::Status {
    if (value >= 1 && value <= most) return {};
    return core::fail(std::string(what) + " is from 1 to " + std::to_string(most) + ", not " +
                      std::to_string(value));
  };
  if (auto good = within("the message size", plan.largest, kMaxBenchSize); !good) return good;
  if (auto good = within("the number of queue pairs", plan.pairs, kMaxBenchPairs); !good)
    return good;
  if (auto good = within("the depth", plan.depth, kMaxBenchDepth); !good) return good;
  if (auto good = within("the completion moderation", plan.moderation, kMaxBenchDepth); !good) {
    return good;
  }
  constexpr std::array<std::uint32_t, 6> kMtus = {0, 256, 512, 1024, 2048, 4096};
  if (std::ranges::find(kMtus, plan.mtu) == kMtus.end()) {
    return core::fail("the MTU is 256, 512, 1024, 2048 or 4096, not " + std::to_string(plan.mtu));
  }
  if (plan.inline_bytes.value_or(0) > 4096) {
    return core::fail("inline data is at most 4096 bytes, not " +
                      std::to_string(*plan.inline_bytes));
  }
  const std::uint64_t memory = std::uint64_t{2} * plan.pairs * bench_span(plan);
  if (memory > kMaxBenchMemory) {
    return core::fail(std::to_string(plan.pairs) + " queue pairs with messages of " +
                      bench_size_name(plan.largest) + " need " + std::to_string(memory >> 20) +
                      " MiB of registered memory, more than " +
                      std::to_string(kMaxBenchMemory >> 20));
  }
  return {};
}

}  // namespace

core::Result<std::vector<std::uint32_t>> parse_bench_sizes(std::string_view text) {
  std::vector<std::uint32_t> sizes;
  while (true) {
    const std::size_t comma = text.find(',');
    if (auto added = add_part(text.substr(0, comma), sizes); !added) {
      return tl::make_unexpected(added.error());
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string bench_size_name(std::uint32_t bytes) {
  constexpr std::uint32_t kKilo = 1024;
  if (bytes != 0 && bytes % (kKilo * kKilo) == 0)
    return std::to_string(bytes / kKilo / kKilo) + "M";
  if (bytes != 0 && bytes % kKilo == 0) return std::to_string(bytes / kKilo) + "K";
  return std::to_string(bytes);
}

core::Status check_bench_plan(const BenchPlan& plan, core::Protocol protocol, int mtu_bytes) {
  if (auto good = check_operation(plan, protocol); !good) return good;
  if (auto good = check_numbers(plan); !good) return good;
  if (protocol == core::Protocol::kIwarp || mtu_bytes == 0) return {};
  if (plan.mtu > static_cast<std::uint32_t>(mtu_bytes)) {
    return core::fail("the MTU " + std::to_string(plan.mtu) + " is above the port's, which is " +
                      std::to_string(mtu_bytes));
  }
  if (plan.transport == BenchTransport::kUd &&
      plan.largest > static_cast<std::uint32_t>(bench_mtu(plan, mtu_bytes))) {
    return core::fail("a message of " + std::to_string(plan.largest) +
                      " bytes does not fit a UD datagram: the path MTU is " +
                      std::to_string(bench_mtu(plan, mtu_bytes)));
  }
  return {};
}

int bench_mtu(const BenchPlan& plan, int port_mtu_bytes) {
  if (plan.mtu == 0) return port_mtu_bytes;
  return std::min(static_cast<int>(plan.mtu), port_mtu_bytes);
}

std::uint32_t wanted_inline(const BenchPlan& plan) {
  if (plan.inline_bytes) return *plan.inline_bytes;
  if (plan.operation == RcOperation::kRead) return 0;  // there is nothing to send along
  if (plan.operation == RcOperation::kWrite) return 220;
  return plan.transport == BenchTransport::kUd ? 188 : 236;
}

std::uint32_t bench_receives(const BenchPlan& plan) {
  return plan.operation == RcOperation::kSend ? kReceives : 0;
}

std::size_t bench_span(const BenchPlan& plan) {
  const std::size_t bytes = plan.largest + kHeader;
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace rdmadiag::probes
