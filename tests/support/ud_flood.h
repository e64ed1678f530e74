// A hostile host: floods a responder's queue pair with datagrams that no honest agent sends: random
// bytes, cut short, signed with a wrong key, and one that was signed right, again and again. Over
// whatever libibverbs it is linked with.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "probes/verbs/ud_endpoint.h"
#include "probes/wire.h"

namespace rdmadiag::test {

class UdFlood {
 public:
  static constexpr std::array<const char*, 4> kKinds = {"random", "short", "wrong_key", "replayed"};
  struct Counts {
    std::array<std::uint64_t, kKinds.size()> sent{};
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t answers = 0;
  };

  // From the first port of `device`; `key` signs what is signed right.
  [[nodiscard]] static core::Result<UdFlood> open(const probes::Device& device,
                                                  const probes::UdAddress& target,
                                                  const probes::ProbeKey& key);
  // As fast as it can, or at most `rate` a second. An error when the device fails.
  [[nodiscard]] core::Result<Counts> run(std::chrono::nanoseconds time, double rate = 0);

 private:
  UdFlood(std::unique_ptr<probes::UdEndpoint> endpoint, const probes::UdAddress& target,
          const probes::ProbeKey& key);
  [[nodiscard]] std::vector<std::byte> make(std::size_t kind);

  std::unique_ptr<probes::UdEndpoint> endpoint_;
  probes::UdAddress target_;
  probes::Route route_;
  probes::MessageBytes replayed_;
  probes::ProbeKey wrong_key_;
  std::mt19937 random_{1};
};

}  // namespace rdmadiag::test
