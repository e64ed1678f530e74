#include "agent/host/module_eeprom.h"

#include <array>
#include <cstdio>
#include <utility>

#include "agent/host/module_memory.h"

namespace rdmadiag::host {
namespace {

struct ModuleType {
  std::uint8_t identifier;  // SFF-8024
  const char* name;
  void (*read)(const ReadModule&, ModuleReading&);
};
constexpr std::array<ModuleType, 11> kTypes = {{
    {0x03, "SFP", read_sff8472},
    {0x0c, "QSFP", read_sff8636},
    {0x0d, "QSFP+", read_sff8636},
    {0x11, "QSFP28", read_sff8636},
    {0x18, "QSFP-DD", read_cmis},
    {0x19, "OSFP", read_cmis},
    {0x1b, "DSFP", read_cmis},
    {0x1e, "QSFP CMIS", read_cmis},
    {0x1f, "SFP-DD CMIS", read_cmis},
    {0x20, "SFP CMIS", read_cmis},
    {0x21, "OSFP-XD", read_cmis},
}};

std::string hex_name(unsigned identifier) {
  std::array<char, 8> text{};
  (void)std::snprintf(text.data(), text.size(), "0x%02x", identifier);
  return text.data();
}

}  // namespace

std::optional<std::uint8_t> ModulePage::byte(unsigned address) const {
  return address < bytes_.size() ? bytes_[address] : std::nullopt;
}

std::optional<std::uint16_t> ModulePage::word(unsigned address) const {
  const auto high = byte(address);
  const auto low = byte(address + 1);
  if (!high || !low) return std::nullopt;
  return static_cast<std::uint16_t>(*high << 8 | *low);
}

std::optional<int> ModulePage::signed_word(unsigned address) const {
  const auto raw = word(address);
  return raw ? std::optional<int>(static_cast<std::int16_t>(*raw)) : std::nullopt;
}

std::string ModulePage::text(unsigned address, unsigned length) const {
  std::string out;
  for (unsigned i = address; i < address + length; ++i) {
    const auto value = byte(i);
    if (!value || *value == 0) break;
    out.push_back(*value >= 0x20 && *value < 0x7f ? static_cast<char>(*value) : '?');
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

void ModulePage::put(unsigned address, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = 0; i < bytes.size() && address + i < bytes_.size(); ++i)
    bytes_[address + i] = bytes[i];
}

bool fetch(const ReadModule& read, ModuleAddress at, unsigned first, unsigned last,
           ModulePage& page, std::vector<core::Error>& missing) {
  at.offset = static_cast<std::uint8_t>(first);
  at.length = static_cast<std::uint8_t>(last - first + 1);
  auto bytes = read(at);
  if (!bytes) {
    missing.push_back(std::move(bytes.error()));
    return false;
  }
  page.put(first, *bytes);
  return true;
}

std::optional<double> scaled(std::optional<std::uint16_t> raw, double unit) {
  return raw ? std::optional<double>(*raw * unit) : std::nullopt;
}

std::optional<core::ModuleLimits> limits(const ModulePage& page, unsigned address, double unit,
                                         bool is_signed) {
  const auto value = [&](unsigned at) -> std::optional<double> {
    if (!is_signed) return scaled(page.word(at), unit);
    const auto raw = page.signed_word(at);
    return raw ? std::optional<double>(*raw * unit) : std::nullopt;
  };
  const auto high_alarm = value(address);
  const auto low_alarm = value(address + 2);
  const auto high_warning = value(address + 4);
  const auto low_warning = value(address + 6);
  if (!high_alarm || !low_alarm || !high_warning || !low_warning) return std::nullopt;
  // A module without limits has zeros, or ones, everywhere.
  if (*high_alarm <= *low_alarm) return std::nullopt;
  return core::ModuleLimits{*low_alarm, *low_warning, *high_warning, *high_alarm};
}

core::Result<ModuleReading> read_module(const ReadModule& read) {
  const auto first = read({.i2c = 0x50, .page = 0, .bank = 0, .offset = 0, .length = 1});
  if (!first) return tl::make_unexpected(first.error());
  if (first->empty()) return core::fail("module memory: no identifier");
  ModuleReading reading;
  reading.module.identifier = first->front();
  for (const ModuleType& type : kTypes) {
    if (type.identifier != first->front()) continue;
    reading.module.type = type.name;
    type.read(read, reading);
    return reading;
  }
  reading.module.type = hex_name(first->front());
  return reading;
}

}  // namespace rdmadiag::host
