#include "probes/random.h"

#include <sodium.h>

#include <algorithm>
#include <array>

namespace rdmadiag::probes {
namespace {

constexpr std::array<std::uint32_t, 3> kBadKeys = {0, 0x11111111, 0x01234567};

}  // namespace

RandomSource random_from_system() {
  return [] { return randombytes_random(); };
}

std::uint32_t make_epoch(const RandomSource& random) {
  std::uint32_t epoch = random();
  while (std::ranges::find(kBadKeys, qkey_of_epoch(epoch)) != kBadKeys.end()) epoch = random();
  return epoch;
}

}  // namespace rdmadiag::probes
