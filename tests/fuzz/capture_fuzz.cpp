// Any bytes as a capture: no crash, no unbounded work, every refusal has its words, and what was
// accepted replays within its bounds and can be written and read back.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "agent/cli/capture_file.h"
#include "agent/cli/capture_json.h"
#include "agent/host/replay.h"

namespace {

using namespace rdmadiag;

void require(bool holds) {
  if (!holds) std::abort();
}

// A file without a place on disk, whose content is the input.
std::string input_file(const std::uint8_t* bytes, std::size_t size) {
  static const int descriptor = memfd_create("capture", MFD_CLOEXEC);
  require(descriptor >= 0 && ftruncate(descriptor, 0) == 0);
  require(pwrite(descriptor, bytes, size, 0) == static_cast<ssize_t>(size));
  return "/proc/self/fd/" + std::to_string(descriptor);
}

void replay(const std::shared_ptr<const host::Capture>& capture) {
  host::ReplayFileReader files(capture);
  std::array<char, 64> buffer{};
  for (const auto& [name, file] : capture->files) {
    const int descriptor = files.open("/capture/" + name);
    if (descriptor < 0) continue;
    const std::ptrdiff_t count = files.read_from_start(descriptor, buffer);
    require(count <= static_cast<std::ptrdiff_t>(buffer.size()));
    files.close(descriptor);
  }
  for (const auto& [name, directory] : capture->directories) {
    std::vector<host::DirectoryEntry> entries;
    require(files.list("/capture/" + name, entries) <= 0);
  }
}

void check_document(std::string_view text) {
  const auto capture = cli::parse_capture_json(text);
  if (!capture) {
    require(!capture.error().message().empty());
    return;
  }
  const std::string rendered = cli::render_capture_json(*capture);
  const auto again = cli::parse_capture_json(rendered);
  require(again.has_value() && cli::render_capture_json(*again) == rendered);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check_document({reinterpret_cast<const char*>(bytes), size});
  auto capture = cli::read_capture(input_file(bytes, size));
  if (!capture) {
    require(!capture.error().message().empty());
    return 0;
  }
  replay(std::make_shared<const host::Capture>(*std::move(capture)));
  return 0;
}
