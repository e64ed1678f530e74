// QSFP-DD, OSFP and others: CMIS 4 and 5. Monitors of the first eight lanes (bank 0).
#include "agent/host/module_memory.h"

namespace rdmadiag::host {
namespace {

constexpr unsigned kMaxLanes = 8;
constexpr std::uint8_t kFlatMemory = 0x80;   // byte 2: lower memory and page 00h only
constexpr std::uint8_t kMediaMultiMode = 1;  // byte 85; 3 passive copper, 4 active cable, 5 BASE-T
constexpr std::uint8_t kMediaSingleMode = 2;

unsigned lanes_of(int identifier) {
  switch (identifier) {
    case 0x1e: return 4;
    case 0x1b:
    case 0x1f: return 2;
    case 0x20: return 1;
    default: return kMaxLanes;
  }
}

// Page 01h, bytes 159 and 160: which monitors there are.
struct Monitors {
  bool temperature = true;
  bool voltage = true;
  bool bias = true;
  bool transmit = true;
  bool receive = true;
  double bias_unit = kAmpereUnit;
};

Monitors decode_advertisement(const ModulePage& page) {
  const auto of_module = page.byte(159).value_or(0);
  const auto of_lanes = page.byte(160).value_or(0);
  const int bias_shift = of_lanes >> 3 & 3;  // times 1, 2, 4; 3 is reserved
  return {.temperature = (of_module & 1) != 0,
          .voltage = (of_module & 2) != 0,
          .bias = (of_lanes & 1) != 0 && bias_shift != 3,
          .transmit = (of_lanes & 2) != 0,
          .receive = (of_lanes & 4) != 0,
          .bias_unit = kAmpereUnit * (1 << bias_shift)};
}

void decode_identity(const ModulePage& page, core::ModuleSnapshot& module) {
  module.vendor = page.text(129, 16);
  module.part_number = page.text(148, 16);
  module.revision = page.text(164, 2);
  module.serial_number = page.text(166, 16);
}

void decode_module_monitors(const ModulePage& page, const Monitors& has,
                            core::ModuleSnapshot& module) {
  const auto temperature = page.signed_word(14);
  const auto voltage = page.word(16);
  if (has.voltage && voltage && *voltage != 0) module.voltage = *voltage * kVoltUnit;
  // Flat-memory cables do not advertise: without a voltage there are no monitors.
  if (has.temperature && temperature && (module.voltage || *temperature != 0))
    module.temperature_celsius = *temperature * kCelsiusUnit;
}

// Byte 210 of page 00h has a bit for every lane the module does not have.
void decode_lanes(const ModulePage& page, std::uint8_t lanes_missing, const Monitors& has,
                  core::ModuleSnapshot& module) {
  for (unsigned i = 0; i < lanes_of(module.identifier); ++i) {
    core::ModuleLane lane;
    if ((lanes_missing >> i & 1) == 0) {
      if (has.transmit) lane.transmit_watts = scaled(page.word(154 + 2 * i), kWattUnit);
      if (has.bias) lane.bias_amperes = scaled(page.word(170 + 2 * i), has.bias_unit);
      if (has.receive) lane.receive_watts = scaled(page.word(186 + 2 * i), kWattUnit);
    }
    module.lanes.push_back(lane);
  }
}

void decode_limits(const ModulePage& page, const Monitors& has, core::ModuleSnapshot& module) {
  if (has.temperature) module.temperature_limits = limits(page, 128, kCelsiusUnit, true);
  if (has.voltage) module.voltage_limits = limits(page, 136, kVoltUnit);
  if (!module.optical) return;
  if (has.transmit) module.transmit_limits = limits(page, 176, kWattUnit);
  if (has.bias) module.bias_limits = limits(page, 184, has.bias_unit);
  if (has.receive) module.receive_limits = limits(page, 192, kWattUnit);
}

}  // namespace

void read_cmis(const ReadModule& read, ModuleReading& reading) {
  core::ModuleSnapshot& module = reading.module;
  ModulePage page;
  // Bytes 8 to 13 hold flags that clear when read.
  const bool has_status = fetch(read, {}, 0, 2, page, reading.missing);
  (void)fetch(read, {}, 14, 17, page, reading.missing);
  (void)fetch(read, {}, 85, 85, page, reading.missing);
  if (fetch(read, {}, 128, 210, page, reading.missing)) decode_identity(page, module);
  const auto media = page.byte(85).value_or(0);
  module.optical = media == kMediaMultiMode || media == kMediaSingleMode;
  if (!has_status || (page.byte(2).value_or(0) & kFlatMemory) != 0) {
    decode_module_monitors(page, {}, module);
    return;
  }
  ModulePage advertised;
  if (!fetch(read, {.page = 1}, 159, 160, advertised, reading.missing)) {
    decode_module_monitors(page, {}, module);
    return;
  }
  const Monitors has = decode_advertisement(advertised);
  decode_module_monitors(page, has, module);
  ModulePage thresholds;
  if (fetch(read, {.page = 2}, 128, 199, thresholds, reading.missing))
    decode_limits(thresholds, has, module);
  ModulePage lanes;
  if (module.optical && fetch(read, {.page = 0x11}, 154, 201, lanes, reading.missing))
    decode_lanes(lanes, page.byte(210).value_or(0), has, module);
}

}  // namespace rdmadiag::host
