// What agents say of the mesh. What is accepted must be readable again after it was written, and
// pairing and localising it must not fail, whatever the numbers are.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "agent/core/localise.h"
#include "probes/mesh_message.h"

using namespace rdmadiag;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_mesh(std::string_view text) {
  const auto decoded = probes::decode_mesh(text);
  if (!decoded) return;
  const auto again = probes::decode_mesh(probes::encode_mesh(*decoded));
  require(again && again->agents.size() == decoded->agents.size() &&
          again->probes.size() == decoded->probes.size());
  const std::vector reports = {*decoded, *again};
  static_cast<void>(core::mesh_pairs(reports));
  for (const core::Blame& blame : core::localise(core::path_rows(reports)).verdicts) {
    require(blame.loss() <= 1);
  }
}

void check_pinglist(std::string_view text) {
  const auto decoded = probes::decode_pinglist(text);
  if (!decoded) return;
  const auto again = probes::decode_pinglist(probes::encode_pinglist(*decoded));
  require(again && again->size() == decoded->size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    check_mesh(text);
  } else {
    check_pinglist(text);
  }
  return 0;
}
