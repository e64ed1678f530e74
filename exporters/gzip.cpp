#include "exporters/gzip.h"

#include <strings.h>
#include <zlib.h>

#include <cstddef>
#include <limits>

namespace rdmadiag::exporters {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// ";q=0", ";q=0.000": the only weights that refuse.
bool is_refused(std::string_view parameters) {
  const std::string_view weight = trim(parameters);
  if (weight.size() < 3 || !equals_ignoring_case(weight.substr(0, 2), "q=")) {
    return false;
  }
  return weight.substr(2).find_first_not_of("0.") == weight.npos;
}

std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view head = rest.substr(0, at);
  rest = at == rest.npos ? std::string_view{} : rest.substr(at + 1);
  return head;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view item = take_until(accept_encoding, ',');
    const std::string_view coding = trim(take_until(item, ';'));
    const bool refused = is_refused(item);
    if (equals_ignoring_case(coding, "gzip") || equals_ignoring_case(coding, "x-gzip")) {
      return !refused;
    }
    any = any || (coding == "*" && !refused);
  }
  return any;
}

std::optional<std::string> gzip(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  if (text.size() > std::numeric_limits<uInt>::max() / 2 ||
      deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int rc = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (rc != Z_STREAM_END) {
    return std::nullopt;
  }
  out.shrink_to_fit();
  return out;
}

}  // namespace rdmadiag::exporters
