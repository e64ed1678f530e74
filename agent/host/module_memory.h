// What the decoders of the three memory maps share. Internal to module_eeprom.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/module_eeprom.h"

namespace rdmadiag::host {

// A page as far as it was fetched, addressed as in the specifications: 0..127 the lower half,
// 128..255 the upper one.
class ModulePage {
 public:
  [[nodiscard]] std::optional<std::uint8_t> byte(unsigned address) const;
  [[nodiscard]] std::optional<std::uint16_t> word(unsigned address) const;  // big endian
  [[nodiscard]] std::optional<int> signed_word(unsigned address) const;
  // ASCII padded with spaces; anything else becomes '?'.
  [[nodiscard]] std::string text(unsigned address, unsigned length) const;
  void put(unsigned address, const std::vector<std::uint8_t>& bytes);

 private:
  std::array<std::optional<std::uint8_t>, 256> bytes_{};
};

// Fetches bytes [first, last] into `page`; a failure goes to `missing`.
bool fetch(const ReadModule& read, ModuleAddress at, unsigned first, unsigned last,
           ModulePage& page, std::vector<core::Error>& missing);

inline constexpr double kCelsiusUnit = 1.0 / 256;
inline constexpr double kVoltUnit = 100e-6;
inline constexpr double kAmpereUnit = 2e-6;
inline constexpr double kWattUnit = 0.1e-6;

[[nodiscard]] std::optional<double> scaled(std::optional<std::uint16_t> raw, double unit);
// Four words in the order of all three specifications: high alarm, low alarm, high warning, low
// warning. Empty unless all are there and they are not all the same.
[[nodiscard]] std::optional<core::ModuleLimits> limits(const ModulePage& page, unsigned address,
                                                       double unit, bool is_signed = false);

void read_sff8472(const ReadModule& read, ModuleReading& reading);
void read_sff8636(const ReadModule& read, ModuleReading& reading);
void read_cmis(const ReadModule& read, ModuleReading& reading);

}  // namespace rdmadiag::host
