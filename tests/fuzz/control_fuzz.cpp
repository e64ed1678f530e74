// What other agents send over the control channel. What is accepted must come through a round trip
// unchanged, and be fit for a log line.
#include <cstdlib>
#include <string_view>

#include "probes/control_message.h"

using namespace rdmadiag::probes;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_text(const std::string& text) {
  require(text.size() <= 4 * kMaxNameBytes);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    require(byte >= 0x20 && byte != 0x7f);
  }
}

void check_endpoints(std::string_view text) {
  const auto decoded = decode_endpoints(text);
  if (!decoded) return;
  require(decoded->rnics.size() <= kMaxRnics);
  check_text(decoded->host);
  for (const RnicEndpoint& rnic : decoded->rnics) check_text(rnic.device);
  require(decode_endpoints(encode_endpoints(*decoded)) == *decoded);
}

void check_offer(std::string_view text) {
  const auto decoded = decode_rc_offer(text);
  if (!decoded) return;
  check_text(decoded->from);
  require(decode_rc_offer(encode_rc_offer(*decoded)) == *decoded);
}

void check_parameters(std::string_view text) {
  const auto decoded = decode_rc_parameters(text);
  if (decoded) require(decode_rc_parameters(encode_rc_parameters(*decoded)) == *decoded);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0: check_endpoints(text); break;
    case 1: check_offer(text); break;
    default: check_parameters(text); break;
  }
  return 0;
}
