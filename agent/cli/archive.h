// Compressed tar archives as lists of files, in memory. What comes from outside is bounded in size
// and number, and its names cannot leave the archive.
#pragma once

#include <string>
#include <vector>

#include "agent/core/result.h"

namespace rdmadiag::cli {

struct ArchiveMember {
  std::string path;         // relative, without "." and ".."
  std::string content;      // of a file
  std::string link_target;  // of a symbolic link, then without content
};

// Writes tar.gz to `path`: whole or not at all, readable by its owner only. The same members give
// the same bytes.
[[nodiscard]] core::Status write_archive(const std::string& path,
                                         const std::vector<ArchiveMember>& members);

// Files and links of a tar, plain or gzip-compressed; everything else in it is passed over.
[[nodiscard]] core::Result<std::vector<ArchiveMember>> read_archive(const std::string& path);

inline constexpr std::size_t kMaxArchiveMembers = 200'000;
inline constexpr std::size_t kMaxMemberSize = 32 * 1024 * 1024;
inline constexpr std::size_t kMaxArchiveSize = 128 * 1024 * 1024;

}  // namespace rdmadiag::cli
