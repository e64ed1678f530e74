// A transceiver whose memory, and whose failures to read, the fuzzer decides.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "agent/host/module_eeprom.h"

using namespace rdmadiag;
using namespace rdmadiag::host;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t next = 0;
  (void)read_module([&](const ModuleAddress& at) {
    core::Result<std::vector<std::uint8_t>> bytes = std::vector<std::uint8_t>(at.length);
    if (next >= size || data[next++] == 0xff) return bytes = core::errno_error(EIO, "module");
    const std::size_t count = std::min<std::size_t>(at.length, size - next);
    std::copy_n(data + next, count, bytes->begin());
    next += count;
    return bytes;
  });
  return 0;
}
