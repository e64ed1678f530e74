// The keys that sign probe messages. A ring holds the key this agent signs with and every key it
// accepts, so that a fleet can rotate: add the new key everywhere, then move it to the first line.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/core/result.h"

namespace rdmadiag::probes {

struct ProbeKey {
  std::uint8_t id = 0;
  std::array<std::uint8_t, 16> secret{};
};

// Ids no key file may use.
inline constexpr std::uint8_t kLocalKeyId = 0;  // made at start; loopback and siblings
inline constexpr std::uint8_t kInsecureKeyId =
    255;  // known to everybody; only with `insecure: true`

class KeyRing {
 public:
  // Signs and accepts with `local` only, for what never leaves this host.
  explicit KeyRing(const ProbeKey& local) : keys_{local} {}

  // The first of `shared` signs for other hosts.
  void set_shared(const std::vector<ProbeKey>& shared);

  [[nodiscard]] const ProbeKey& local() const { return keys_.front(); }
  // Empty without a shared key: then only this host's own RNICs can be probed.
  [[nodiscard]] std::optional<ProbeKey> shared() const;
  [[nodiscard]] const ProbeKey* find(std::uint8_t id) const;

 private:
  std::vector<ProbeKey> keys_;
};

[[nodiscard]] ProbeKey make_local_key();  // random
[[nodiscard]] ProbeKey insecure_key();

// Lines of "ID HEX", ID 1…254, HEX 32 digits; blank lines and # comments. The first key signs.
[[nodiscard]] core::Result<std::vector<ProbeKey>> parse_key_file(std::string_view text);
// Refuses a file that its group or others may read: it could be used to forge membership.
[[nodiscard]] core::Result<std::vector<ProbeKey>> read_key_file(const std::filesystem::path& path);

}  // namespace rdmadiag::probes
