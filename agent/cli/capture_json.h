// capture.json: everything of a capture but the contents of its files. Names and paths are bytes;
// those outside printable ASCII are spelled %HH.
#pragma once

#include <string>
#include <string_view>

#include "agent/core/result.h"
#include "agent/host/capture.h"

namespace rdmadiag::cli {

[[nodiscard]] std::string render_capture_json(const host::Capture& capture);

// Leaves the contents of files empty. Fails on anything that is not a capture of a known version.
[[nodiscard]] core::Result<host::Capture> parse_capture_json(std::string_view text);

[[nodiscard]] std::string encode_bytes(std::string_view bytes);
[[nodiscard]] std::string decode_bytes(std::string_view text);

}  // namespace rdmadiag::cli
