// What the two ends of a benchmark say to each other. What is accepted must be the same again after
// it was written.
#include <cstdlib>
#include <string_view>

#include "probes/bench/message.h"

using namespace rdmadiag;

namespace {

template <class Message>
void check(core::Result<Message> (*decode)(std::string_view), std::string_view text) {
  const auto decoded = decode(text);
  if (!decoded) return;
  const auto again = decode(probes::encode_bench(*decoded));
  if (!again || *again != *decoded) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: check(probes::decode_bench_offer, text); break;
    case 1: check(probes::decode_bench_answer, text); break;
    case 2: check(probes::decode_bench_command, text); break;
    default: check(probes::decode_bench_report, text); break;
  }
  return 0;
}
