// A transceiver's memory for tests, page by page, with reads that fail.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/host/module_eeprom.h"

namespace rdmadiag::test {

class FakeModule {
 public:
  // Addresses as in the specifications; a page is made by its first byte. Pages but 0 have an upper
  // half only, page 0 has both.
  void byte(int page, unsigned address, unsigned value, int i2c = 0x50);
  void word(int page, unsigned address, int value, int i2c = 0x50);  // big endian
  void text(int page, unsigned address, std::string_view value, std::size_t length);
  void real(int page, unsigned address, float value, int i2c = 0x50);  // IEEE 754, big endian

  // Reads of the page fail with EIO.
  void break_page(int page, int i2c = 0x50) { broken_.insert({i2c, page}); }

  // Fails with EINVAL for a page that is not there and for what the kernel would refuse.
  [[nodiscard]] host::ReadModule reader();
  [[nodiscard]] const std::vector<host::ModuleAddress>& reads() const { return reads_; }
  [[nodiscard]] bool was_read(int page, unsigned address, int i2c = 0x50) const;

 private:
  core::Result<std::vector<std::uint8_t>> read(const host::ModuleAddress& at);

  std::map<std::pair<int, int>, std::array<std::uint8_t, 256>> pages_;
  std::set<std::pair<int, int>> broken_;
  std::vector<host::ModuleAddress> reads_;
};

}  // namespace rdmadiag::test
