// A capture as an archive: the files as they were under sys/ and proc/, and capture.json with what
// plain files cannot say: failed reads, directory listings, links, answers of RDMA netlink.
// Unpacked, its sys/ can be given to --path.sysfs of any tool.
#pragma once

#include <string>

#include "agent/core/result.h"
#include "agent/host/capture.h"

namespace rdmadiag::cli {

[[nodiscard]] core::Status write_capture(const std::string& path, const host::Capture& capture);
[[nodiscard]] core::Result<host::Capture> read_capture(const std::string& path);

}  // namespace rdmadiag::cli
