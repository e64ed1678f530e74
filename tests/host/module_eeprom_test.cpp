// Pages are written out by hand from SFF-8472 rev 12.4, SFF-8636 rev 2.10 and CMIS 5.2.
#include "agent/host/module_eeprom.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/fake_module.h"

using namespace rdmadiag;
using rdmadiag::core::ModuleSnapshot;
using rdmadiag::test::FakeModule;

namespace {

host::ModuleReading read(FakeModule& memory) {
  auto reading = host::read_module(memory.reader());
  REQUIRE(reading);
  return *reading;
}

// High alarm, low alarm, high warning, low warning.
void put_limits(FakeModule& memory, int page, unsigned address, std::array<int, 4> raw,
                int i2c = 0x50) {
  for (unsigned i = 0; i < raw.size(); ++i) memory.word(page, address + 2 * i, raw[i], i2c);
}

FakeModule sfp() {
  FakeModule m;
  m.byte(0, 0, 0x03);
  m.byte(0, 2, 0x07);  // LC
  m.text(0, 20, "FINISAR CORP.", 16);
  m.text(0, 40, "FTLF8536P4BCL", 16);
  m.text(0, 56, "A", 4);
  m.text(0, 68, "P1234567", 16);
  m.byte(0, 92, 0x68);  // monitors, internally calibrated, average power
  put_limits(m, 0, 0, {0x4b00, -0x0a00, 0x4600, -0x0500}, 0x51);
  put_limits(m, 0, 8, {36300, 29700, 34600, 31300}, 0x51);
  put_limits(m, 0, 16, {6000, 500, 5500, 1000}, 0x51);
  put_limits(m, 0, 24, {19953, 1585, 15849, 2512}, 0x51);
  put_limits(m, 0, 32, {22387, 501, 17783, 794}, 0x51);
  m.word(0, 96, -0x0180, 0x51);
  m.word(0, 98, 33000, 0x51);
  m.word(0, 100, 3500, 0x51);
  m.word(0, 102, 5000, 0x51);
  m.word(0, 104, 0, 0x51);
  return m;
}

FakeModule qsfp28() {
  FakeModule m;
  m.byte(0, 0, 0x11);
  m.byte(0, 2, 0x00);  // paged memory
  m.word(0, 22, 0x2580);
  m.word(0, 26, 32500);
  for (unsigned i = 0; i < 4; ++i) {
    m.word(0, 34 + 2 * i, static_cast<int>(8000 + i));
    m.word(0, 42 + 2 * i, static_cast<int>(3000 + i));
    m.word(0, 50 + 2 * i, static_cast<int>(10000 + i));
  }
  m.byte(0, 128, 0x11);
  m.byte(0, 147, 0x00);  // 850 nm VCSEL
  m.text(0, 148, "Mellanox", 16);
  m.text(0, 168, "MMA1B00-C100D", 16);
  m.text(0, 184, "A2", 2);
  m.text(0, 196, "MT1234VS00001", 16);
  m.byte(0, 220, 0x0c);  // Tx power, average Rx power
  put_limits(m, 3, 128, {0x5000, -0x0a00, 0x4600, 0});
  put_limits(m, 3, 144, {36300, 29700, 35000, 31000});
  put_limits(m, 3, 176, {34674, 468, 21878, 741});
  put_limits(m, 3, 184, {5500, 250, 5000, 1000});
  put_limits(m, 3, 192, {34674, 575, 21878, 912});
  return m;
}

FakeModule osfp() {
  FakeModule m;
  m.byte(0, 0, 0x19);
  m.byte(0, 1, 0x50);
  m.byte(0, 2, 0x00);
  m.word(0, 14, 0x3280);
  m.word(0, 16, 33012);
  m.byte(0, 85, 2);  // single mode
  m.byte(0, 128, 0x19);
  m.text(0, 129, "NVIDIA", 16);
  m.text(0, 148, "MMS4X00-NM", 16);
  m.text(0, 164, "B1", 2);
  m.text(0, 166, "MT2300FT00007", 16);
  m.byte(0, 210, 0xf0);  // lanes 5 to 8 are not there
  m.byte(1, 159, 0x03);
  m.byte(1, 160, 0x07 | 1 << 3);  // bias counts in 4 uA
  put_limits(m, 2, 128, {0x4b00, -0x0500, 0x4600, 0});
  put_limits(m, 2, 136, {34650, 31350, 34320, 31680});
  put_limits(m, 2, 176, {31622, 1778, 25118, 2238});
  put_limits(m, 2, 184, {32500, 5000, 30000, 7500});
  put_limits(m, 2, 192, {31622, 1000, 25118, 1258});
  for (unsigned i = 0; i < 8; ++i) {
    m.word(0x11, 154 + 2 * i, i < 4 ? static_cast<int>(12000 + i) : 0);
    m.word(0x11, 170 + 2 * i, i < 4 ? static_cast<int>(20000 + i) : 0);
    m.word(0x11, 186 + 2 * i, i < 4 ? static_cast<int>(9000 + i) : 0);
  }
  return m;
}

}  // namespace

TEST_CASE("an SFP is read with its limits") {
  auto memory = sfp();
  const auto reading = read(memory);
  const ModuleSnapshot& m = reading.module;
  CHECK(reading.missing.empty());
  CHECK(m.type == "SFP");
  CHECK(m.vendor == "FINISAR CORP.");
  CHECK(m.part_number == "FTLF8536P4BCL");
  CHECK(m.serial_number == "P1234567");
  CHECK(m.revision == "A");
  CHECK(m.optical);
  CHECK(*m.temperature_celsius == Approx(-1.5));
  CHECK(*m.voltage == Approx(3.3));
  REQUIRE(m.lanes.size() == 1);
  CHECK(*m.lanes[0].bias_amperes == Approx(0.007));
  CHECK(*m.lanes[0].transmit_watts == Approx(0.0005));
  CHECK(m.lanes[0].receive_watts == 0.0);  // dark, which is not "not known"
  CHECK(m.temperature_limits->high_alarm == Approx(75));
  CHECK(m.temperature_limits->low_alarm == Approx(-10));
  CHECK(m.temperature_limits->high_warning == Approx(70));
  CHECK(m.temperature_limits->low_warning == Approx(-5));
  CHECK(m.voltage_limits->high_alarm == Approx(3.63));
  CHECK(m.bias_limits->high_alarm == Approx(0.012));
  CHECK(m.transmit_limits->low_alarm == Approx(158.5e-6));
  CHECK(m.receive_limits->low_warning == Approx(79.4e-6));
}

TEST_CASE("an externally calibrated SFP is calculated") {
  auto memory = sfp();
  memory.byte(0, 92, 0x58);
  const std::array<float, 5> rx = {0.0F, 0.0F, 0.0F, 0.5F, 100.0F};  // x^4 … constant
  for (unsigned i = 0; i < rx.size(); ++i) memory.real(0, 56 + 4 * i, rx[i], 0x51);
  memory.word(0, 76, 0x0200, 0x51);  // bias × 2
  memory.word(0, 78, -1000, 0x51);
  memory.word(0, 80, 0x0100, 0x51);  // Tx × 1
  memory.word(0, 82, -6000, 0x51);
  memory.word(0, 84, 0x0080, 0x51);  // temperature × 1/2
  memory.word(0, 86, 0x0200, 0x51);
  memory.word(0, 88, 0x0100, 0x51);
  memory.word(0, 90, 100, 0x51);
  memory.word(0, 104, 2000, 0x51);
  const auto m = read(memory).module;
  CHECK(*m.temperature_celsius == Approx(-0.75 + 2));
  CHECK(*m.voltage == Approx(3.31));
  CHECK(*m.lanes[0].bias_amperes == Approx((3500 * 2 - 1000) * 2e-6));
  CHECK(m.lanes[0].transmit_watts == 0.0);  // 5000 - 6000: no light below nothing
  CHECK(*m.lanes[0].receive_watts == Approx((2000 * 0.5 + 100) * 1e-7));
  CHECK(m.temperature_limits->high_alarm == Approx(75.0 / 2 + 2));

  memory.real(0, 60, NAN, 0x51);
  const auto broken = read(memory);
  CHECK_FALSE(broken.module.temperature_celsius);
  REQUIRE(broken.missing.size() == 1);
}

TEST_CASE("an SFP without monitors, or behind an address change, has none") {
  const auto monitoring = GENERATE(0x00, 0x28, 0x6c);
  auto memory = sfp();
  memory.byte(0, 92, static_cast<unsigned>(monitoring));
  const auto m = read(memory).module;
  CHECK(m.vendor == "FINISAR CORP.");
  CHECK_FALSE(m.temperature_celsius);
  CHECK(m.lanes.empty());
  CHECK_FALSE(memory.was_read(0, 96, 0x51));
}

TEST_CASE("a copper SFP has no light") {
  auto memory = sfp();
  memory.byte(0, 8, 0x04);
  const auto m = read(memory).module;
  CHECK_FALSE(m.optical);
  CHECK(m.lanes.empty());
  CHECK_FALSE(m.receive_limits);
}

TEST_CASE("a QSFP28 is read with its limits, and its clear-on-read flags are left alone") {
  auto memory = qsfp28();
  const auto reading = read(memory);
  const ModuleSnapshot& m = reading.module;
  CHECK(reading.missing.empty());
  CHECK(m.type == "QSFP28");
  CHECK(m.vendor == "Mellanox");
  CHECK(m.part_number == "MMA1B00-C100D");
  CHECK(m.revision == "A2");
  CHECK(m.serial_number == "MT1234VS00001");
  CHECK(*m.temperature_celsius == Approx(37.5));
  CHECK(*m.voltage == Approx(3.25));
  REQUIRE(m.lanes.size() == 4);
  CHECK(*m.lanes[3].receive_watts == Approx(800.3e-6));
  CHECK(*m.lanes[0].bias_amperes == Approx(0.006));
  CHECK(*m.lanes[2].transmit_watts == Approx(1000.2e-6));
  CHECK(m.temperature_limits->high_alarm == Approx(80));
  CHECK(m.temperature_limits->low_warning == Approx(0).margin(1e-9));
  CHECK(m.receive_limits->low_alarm == Approx(46.8e-6));
  CHECK(m.bias_limits->high_alarm == Approx(0.011));
  CHECK(m.transmit_limits->low_warning == Approx(91.2e-6));
  for (unsigned flag = 3; flag < 22; ++flag) CHECK_FALSE(memory.was_read(0, flag));
}

TEST_CASE("a QSFP that does not measure its Tx power says nothing of it") {
  auto memory = qsfp28();
  memory.byte(0, 220, 0x08);
  const auto m = read(memory).module;
  CHECK_FALSE(m.lanes[0].transmit_watts);
  CHECK(m.lanes[0].receive_watts);
}

TEST_CASE("a flat-memory cable has an identity and nothing else") {
  auto memory = qsfp28();
  memory.byte(0, 2, 0x04);
  memory.byte(0, 147, 0xa0);  // copper, unequalised
  for (unsigned i = 22; i < 58; ++i) memory.byte(0, i, 0);
  const auto m = read(memory).module;
  CHECK(m.vendor == "Mellanox");
  CHECK_FALSE(m.optical);
  CHECK_FALSE(m.temperature_celsius);
  CHECK_FALSE(m.voltage);
  CHECK(m.lanes.empty());
  CHECK_FALSE(m.temperature_limits);
  CHECK_FALSE(memory.was_read(3, 128));
}

TEST_CASE("limits of zeros or ones are no limits") {
  const auto raw = GENERATE(0, -1);
  auto memory = qsfp28();
  for (unsigned i = 128; i < 200; i += 2) memory.word(3, i, raw);
  const auto m = read(memory).module;
  CHECK(m.temperature_celsius);
  CHECK_FALSE(m.temperature_limits);
  CHECK_FALSE(m.receive_limits);
}

TEST_CASE("an OSFP is read: its lanes, its bias unit, its limits") {
  auto memory = osfp();
  const auto reading = read(memory);
  const ModuleSnapshot& m = reading.module;
  CHECK(reading.missing.empty());
  CHECK(m.type == "OSFP");
  CHECK(m.vendor == "NVIDIA");
  CHECK(m.serial_number == "MT2300FT00007");
  CHECK(m.optical);
  CHECK(*m.temperature_celsius == Approx(50.5));
  CHECK(*m.voltage == Approx(3.3012));
  REQUIRE(m.lanes.size() == 8);
  CHECK(*m.lanes[3].transmit_watts == Approx(1200.3e-6));
  CHECK(*m.lanes[1].bias_amperes == Approx(20001 * 4e-6));
  CHECK(*m.lanes[0].receive_watts == Approx(900e-6));
  CHECK_FALSE(m.lanes[4].receive_watts);  // not there, which is not dark
  CHECK(m.bias_limits->high_alarm == Approx(0.13));
  CHECK(m.voltage_limits->low_alarm == Approx(3.135));
  for (unsigned flag = 8; flag < 14; ++flag) CHECK_FALSE(memory.was_read(0, flag));
}

TEST_CASE("CMIS monitors that are not advertised are not read as zeros") {
  auto memory = osfp();
  memory.byte(1, 159, 0x01);
  memory.byte(1, 160, 0x04);
  const auto m = read(memory).module;
  CHECK(m.temperature_celsius);
  CHECK_FALSE(m.voltage);
  CHECK_FALSE(m.lanes[0].transmit_watts);
  CHECK_FALSE(m.lanes[0].bias_amperes);
  CHECK(m.lanes[0].receive_watts);
  CHECK_FALSE(m.transmit_limits);
}

TEST_CASE("a copper CMIS cable with flat memory has an identity only") {
  auto memory = osfp();
  memory.byte(0, 2, 0x80);
  memory.byte(0, 85, 3);
  memory.word(0, 14, 0);
  memory.word(0, 16, 0);
  const auto m = read(memory).module;
  CHECK(m.part_number == "MMS4X00-NM");
  CHECK_FALSE(m.temperature_celsius);
  CHECK_FALSE(m.voltage);
  CHECK(m.lanes.empty());
  CHECK_FALSE(memory.was_read(1, 159));
}

TEST_CASE("a page that fails in the middle loses only what it held") {
  SECTION("limits of a QSFP28") {
    auto memory = qsfp28();
    memory.break_page(3);
    const auto reading = read(memory);
    CHECK(reading.module.lanes.size() == 4);
    CHECK_FALSE(reading.module.temperature_limits);
    REQUIRE(reading.missing.size() == 1);
    CHECK(reading.missing[0].code.value() == EIO);
  }
  SECTION("lanes of an OSFP") {
    auto memory = osfp();
    memory.break_page(0x11);
    const auto reading = read(memory);
    CHECK(reading.module.lanes.empty());
    CHECK(reading.module.temperature_limits);
    CHECK(reading.missing.size() == 1);
  }
  SECTION("advertisement of an OSFP") {
    auto memory = osfp();
    memory.break_page(1);
    const auto reading = read(memory);
    CHECK(reading.module.temperature_celsius);
    CHECK(reading.module.lanes.empty());
    CHECK(reading.missing.size() == 1);
  }
  SECTION("monitors of an SFP") {
    auto memory = sfp();
    memory.break_page(0, 0x51);
    const auto reading = read(memory);
    CHECK(reading.module.vendor == "FINISAR CORP.");
    CHECK_FALSE(reading.module.voltage);
    CHECK(reading.missing.size() == 1);
  }
}

TEST_CASE("a module of another kind is known by its number") {
  FakeModule memory;
  memory.byte(0, 0, 0x42);
  const auto m = read(memory).module;
  CHECK(m.type == "0x42");
  CHECK(m.identifier == 0x42);
  CHECK(memory.reads().size() == 1);
}

TEST_CASE("no module at all is an error") {
  FakeModule memory;
  memory.byte(0, 0, 0x11);
  memory.break_page(0);
  const auto reading = host::read_module(memory.reader());
  REQUIRE_FALSE(reading);
  CHECK(reading.error().code.value() == EIO);
}

TEST_CASE("names in a module are made printable") {
  auto memory = qsfp28();
  memory.byte(0, 148, 0x1b);
  memory.byte(0, 149, 0xff);
  memory.byte(0, 150, '"');
  CHECK(read(memory).module.vendor == "??\"lanox");
}
