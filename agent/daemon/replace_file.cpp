#include "agent/daemon/replace_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "agent/core/unique_fd.h"

namespace rdmadiag::daemon {
namespace {

core::Status write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return core::errno_error(errno, "writing");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

core::Status fill(int fd, std::string_view content) {
  if (auto status = write_all(fd, content); !status) return status;
  if (fchmod(fd, 0644) != 0) return core::errno_error(errno, "fchmod");
  // Without it a crash of the machine may leave the new name with no content.
  if (fsync(fd) != 0) return core::errno_error(errno, "fsync");
  return {};
}

}  // namespace

core::Status replace_file(const std::filesystem::path& path, std::string_view content) {
  // The leading dot and the suffix keep node_exporter's textfile collector (*.prom) away from it.
  std::string temporary =
      (path.parent_path() / ("." + path.filename().string() + ".XXXXXX")).string();
  const core::UniqueFd fd(mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return core::errno_error(errno, "creating a file beside " + path.string());
  core::Status status = fill(fd.get(), content);
  if (status && rename(temporary.c_str(), path.c_str()) != 0)
    status = core::errno_error(errno, "renaming");
  if (status) return {};
  unlink(temporary.c_str());
  return tl::make_unexpected(
      core::Error{status.error().code, "replacing " + path.string() + ": " + status.error().what});
}

}  // namespace rdmadiag::daemon
