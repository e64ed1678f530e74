// SFP: SFF-8472. Identity at 0x50, monitors at 0x51.
#include <algorithm>
#include <bit>
#include <cmath>

#include "agent/host/module_memory.h"

namespace rdmadiag::host {
namespace {

constexpr std::uint8_t kCopperCable = 0x0c;      // byte 8: passive or active copper
constexpr std::uint8_t kConnectorCopper = 0x21;  // byte 2: pigtail; 0x22 is RJ45
constexpr std::uint8_t kConnectorRj45 = 0x22;
constexpr std::uint8_t kMonitorsImplemented = 0x40;  // byte 92
constexpr std::uint8_t kExternallyCalibrated = 0x10;
constexpr std::uint8_t kAddressChangeNeeded = 0x04;

// Slope in 1/256, offset in the units of the raw value: SFF-8472 section 9.3.
struct Line {
  double slope = 1;
  double offset = 0;
  [[nodiscard]] double operator()(double raw) const { return slope * raw + offset; }
};

struct Calibration {
  Line bias, transmit, temperature, voltage;
  std::array<double, 5> receive = {0, 1, 0, 0, 0};  // polynomial, constant term first

  [[nodiscard]] double received(double raw) const {
    double sum = 0;
    for (std::size_t i = receive.size(); i-- > 0;) sum = sum * raw + receive[i];
    return sum;
  }
};

std::optional<Line> read_line(const ModulePage& page, unsigned address) {
  const auto slope = page.word(address);
  const auto offset = page.signed_word(address + 2);
  if (!slope || !offset) return std::nullopt;
  return Line{*slope / 256.0, static_cast<double>(*offset)};
}

std::optional<double> read_float(const ModulePage& page, unsigned address) {
  const auto high = page.word(address);
  const auto low = page.word(address + 2);
  if (!high || !low) return std::nullopt;
  const auto value = std::bit_cast<float>(std::uint32_t{*high} << 16 | *low);
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::optional<Calibration> read_calibration(const ModulePage& page) {
  Calibration c;
  for (unsigned i = 0; i < c.receive.size(); ++i) {  // highest power first
    const auto coefficient = read_float(page, 56 + 4 * i);
    if (!coefficient) return std::nullopt;
    c.receive[c.receive.size() - 1 - i] = *coefficient;
  }
  const auto bias = read_line(page, 76);
  const auto transmit = read_line(page, 80);
  const auto temperature = read_line(page, 84);
  const auto voltage = read_line(page, 88);
  if (!bias || !transmit || !temperature || !voltage) return std::nullopt;
  c.bias = *bias;
  c.transmit = *transmit;
  c.temperature = *temperature;
  c.voltage = *voltage;
  return c;
}

template <class Calibrate>
std::optional<core::ModuleLimits> calibrated_limits(const ModulePage& page, unsigned address,
                                                    double unit, bool is_signed,
                                                    Calibrate&& calibrate) {
  auto raw = limits(page, address, 1, is_signed);
  if (!raw) return std::nullopt;
  return core::ModuleLimits{calibrate(raw->low_alarm) * unit, calibrate(raw->low_warning) * unit,
                            calibrate(raw->high_warning) * unit, calibrate(raw->high_alarm) * unit};
}

void decode_monitors(const ModulePage& page, const Calibration& c, core::ModuleSnapshot& module) {
  const auto temperature = page.signed_word(96);
  const auto voltage = page.word(98);
  if (!temperature || !voltage || *voltage == 0) return;
  module.temperature_celsius = c.temperature(*temperature) * kCelsiusUnit;
  module.voltage = c.voltage(*voltage) * kVoltUnit;
  module.temperature_limits = calibrated_limits(page, 0, kCelsiusUnit, true, c.temperature);
  module.voltage_limits = calibrated_limits(page, 8, kVoltUnit, false, c.voltage);
  if (!module.optical) return;
  core::ModuleLane lane;
  if (const auto raw = page.word(100)) lane.bias_amperes = c.bias(*raw) * kAmpereUnit;
  // A calibration may take the noise of a dark receiver below nothing.
  if (const auto raw = page.word(102))
    lane.transmit_watts = std::max(c.transmit(*raw) * kWattUnit, 0.0);
  if (const auto raw = page.word(104))
    lane.receive_watts = std::max(c.received(*raw) * kWattUnit, 0.0);
  module.lanes = {lane};
  module.bias_limits = calibrated_limits(page, 16, kAmpereUnit, false, c.bias);
  module.transmit_limits = calibrated_limits(page, 24, kWattUnit, false, c.transmit);
  module.receive_limits =
      calibrated_limits(page, 32, kWattUnit, false, [&](double raw) { return c.received(raw); });
}

}  // namespace

void read_sff8472(const ReadModule& read, ModuleReading& reading) {
  core::ModuleSnapshot& module = reading.module;
  ModulePage identity;
  if (!fetch(read, {.i2c = 0x50}, 0, 95, identity, reading.missing)) return;
  module.vendor = identity.text(20, 16);
  module.part_number = identity.text(40, 16);
  module.revision = identity.text(56, 4);
  module.serial_number = identity.text(68, 16);
  const auto connector = identity.byte(2).value_or(0);
  module.optical = (identity.byte(8).value_or(0) & kCopperCable) == 0 &&
                   connector != kConnectorCopper && connector != kConnectorRj45;
  const auto monitoring = identity.byte(92).value_or(0);
  if ((monitoring & kMonitorsImplemented) == 0 || (monitoring & kAddressChangeNeeded) != 0) return;

  ModulePage monitors;
  if (!fetch(read, {.i2c = 0x51}, 0, 105, monitors, reading.missing)) return;
  Calibration calibration;
  if ((monitoring & kExternallyCalibrated) != 0) {
    const auto found = read_calibration(monitors);
    if (!found) {
      reading.missing.push_back({{}, "SFP module: calibration constants are no numbers"});
      return;
    }
    calibration = *found;
  }
  decode_monitors(monitors, calibration, module);
}

}  // namespace rdmadiag::host
