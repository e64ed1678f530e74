#include "tests/support/fake_module.h"

#include <bit>
#include <cerrno>

namespace rdmadiag::test {

void FakeModule::byte(int page, unsigned address, unsigned value, int i2c) {
  pages_[{i2c, page}].at(address) = static_cast<std::uint8_t>(value);
}

void FakeModule::word(int page, unsigned address, int value, int i2c) {
  byte(page, address, static_cast<unsigned>(value) >> 8 & 0xff, i2c);
  byte(page, address + 1, static_cast<unsigned>(value) & 0xff, i2c);
}

void FakeModule::text(int page, unsigned address, std::string_view value, std::size_t length) {
  for (unsigned i = 0; i < length; ++i)
    byte(page, address + i, i < value.size() ? static_cast<unsigned char>(value[i]) : ' ');
}

void FakeModule::real(int page, unsigned address, float value, int i2c) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  word(page, address, static_cast<int>(bits >> 16), i2c);
  word(page, address + 2, static_cast<int>(bits & 0xffff), i2c);
}

host::ReadModule FakeModule::reader() {
  return [this](const host::ModuleAddress& at) { return read(at); };
}

bool FakeModule::was_read(int page, unsigned address, int i2c) const {
  for (const host::ModuleAddress& at : reads_)
    if (at.page == page && at.i2c == i2c && address >= at.offset &&
        address < unsigned{at.offset} + at.length)
      return true;
  return false;
}

core::Result<std::vector<std::uint8_t>> FakeModule::read(const host::ModuleAddress& at) {
  reads_.push_back(at);
  const unsigned end = unsigned{at.offset} + at.length;
  const bool one_half =
      at.length > 0 && at.length <= 128 && (at.offset >= 128 ? end <= 256 : end <= 128);
  if (!one_half || (at.page != 0 && at.offset < 128))
    return core::errno_error(EINVAL, "module memory: out of range");
  if (broken_.contains({at.i2c, at.page})) return core::errno_error(EIO, "module memory");
  const auto page = pages_.find({at.i2c, at.page});
  if (page == pages_.end()) return core::errno_error(EINVAL, "module memory: no such page");
  const auto* first = page->second.data() + at.offset;
  return std::vector<std::uint8_t>(first, first + at.length);
}

}  // namespace rdmadiag::test
