// QSFP, QSFP+, QSFP28: SFF-8636 (and SFF-8436 before it). Four lanes.
#include "agent/host/module_memory.h"

namespace rdmadiag::host {
namespace {

constexpr unsigned kLanes = 4;
constexpr std::uint8_t kFlatMemory = 0x04;            // byte 2: page 00h only
constexpr std::uint8_t kFirstCopperTechnology = 0xa;  // byte 147, upper half
constexpr std::uint8_t kTransmitPower = 0x04;         // byte 220: Tx power is measured

void decode_monitors(const ModulePage& page, core::ModuleSnapshot& module) {
  const auto temperature = page.signed_word(22);
  const auto voltage = page.word(26);
  // Cables without monitors have zeros here, and no module runs on 0 V.
  if (!temperature || !voltage || *voltage == 0) return;
  module.temperature_celsius = *temperature * kCelsiusUnit;
  module.voltage = *voltage * kVoltUnit;
  if (!module.optical) return;
  const bool transmit_power = (page.byte(220).value_or(0) & kTransmitPower) != 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    core::ModuleLane lane;
    lane.receive_watts = scaled(page.word(34 + 2 * i), kWattUnit);
    lane.bias_amperes = scaled(page.word(42 + 2 * i), kAmpereUnit);
    if (transmit_power) lane.transmit_watts = scaled(page.word(50 + 2 * i), kWattUnit);
    module.lanes.push_back(lane);
  }
}

void decode_limits(const ModulePage& page, core::ModuleSnapshot& module) {
  module.temperature_limits = limits(page, 128, kCelsiusUnit, true);
  module.voltage_limits = limits(page, 144, kVoltUnit);
  if (!module.optical) return;
  module.receive_limits = limits(page, 176, kWattUnit);
  module.bias_limits = limits(page, 184, kAmpereUnit);
  module.transmit_limits = limits(page, 192, kWattUnit);
}

}  // namespace

void read_sff8636(const ReadModule& read, ModuleReading& reading) {
  core::ModuleSnapshot& module = reading.module;
  ModulePage page;
  // Bytes 3 to 21 hold flags that clear when read.
  const bool has_status = fetch(read, {}, 0, 2, page, reading.missing);
  const bool has_identity = fetch(read, {.page = 0}, 128, 220, page, reading.missing);
  if (has_identity) {
    module.vendor = page.text(148, 16);
    module.part_number = page.text(168, 16);
    module.revision = page.text(184, 2);
    module.serial_number = page.text(196, 16);
    module.optical = page.byte(147).value_or(0) >> 4 < kFirstCopperTechnology;
  }
  if (fetch(read, {}, 22, 57, page, reading.missing) && has_identity) decode_monitors(page, module);
  if (!has_status || (page.byte(2).value_or(0) & kFlatMemory) != 0 || !module.voltage) return;
  ModulePage thresholds;
  if (fetch(read, {.page = 3}, 128, 199, thresholds, reading.missing))
    decode_limits(thresholds, module);
}

}  // namespace rdmadiag::host
