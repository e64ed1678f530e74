#include "agent/host/replace_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "agent/core/unique_fd.h"

namespace rdmadiag::host {
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

core::Status finish(int fd, mode_t mode) {
  if (fchmod(fd, mode) != 0) return core::errno_error(errno, "fchmod");
  // Without it a crash of the machine may leave the new name with no content.
  if (fsync(fd) != 0) return core::errno_error(errno, "fsync");
  return {};
}

// Where the new file is to be: behind links, and never in place of a device or a pipe.
core::Result<std::filesystem::path> target_of(const std::filesystem::path& path) {
  using std::filesystem::file_type;
  std::error_code ignored;
  std::error_code error;
  std::filesystem::path target = path;
  if (std::filesystem::symlink_status(path, ignored).type() == file_type::symlink)
    target = std::filesystem::canonical(path, error);
  if (error) return core::errno_error(error.value(), "following " + path.string());
  const file_type type = std::filesystem::status(target, ignored).type();
  const bool is_free = type == file_type::not_found || type == file_type::regular ||
                       type == file_type::none;  // what is wrong shows later
  if (!is_free) return core::fail("replacing " + path.string() + ": it is no regular file");
  return target;
}

// Beside the target, under a name of its own that is left in `name`.
core::Result<core::UniqueFd> create_beside(const std::filesystem::path& target, std::string& name) {
  // The leading dot and the suffix keep node_exporter's textfile collector (*.prom) away from it.
  name = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
  core::UniqueFd fd(mkostemp(name.data(), O_CLOEXEC));
  if (!fd) return core::errno_error(errno, "creating a file beside " + target.string());
  return fd;
}

}  // namespace

core::Status can_replace(const std::filesystem::path& path) {
  const auto target = target_of(path);
  if (!target) return tl::make_unexpected(target.error());
  std::string temporary;
  const auto fd = create_beside(*target, temporary);
  if (!fd) return tl::make_unexpected(fd.error());
  unlink(temporary.c_str());
  return {};
}

core::Status replace_file(const std::filesystem::path& path, mode_t mode,
                          const std::function<core::Status(int)>& fill) {
  const auto target = target_of(path);
  if (!target) return tl::make_unexpected(target.error());
  std::string temporary;
  const auto fd = create_beside(*target, temporary);
  if (!fd) return tl::make_unexpected(fd.error());
  core::Status status = fill(fd->get());
  if (status) status = finish(fd->get(), mode);
  if (status && rename(temporary.c_str(), target->c_str()) != 0)
    status = core::errno_error(errno, "renaming");
  if (status) return {};
  unlink(temporary.c_str());
  return tl::make_unexpected(
      core::Error{status.error().code, "replacing " + path.string() + ": " + status.error().what});
}

core::Status replace_file(const std::filesystem::path& path, mode_t mode,
                          std::string_view content) {
  return replace_file(path, mode, [content](int fd) { return write_all(fd, content); });
}

}  // namespace rdmadiag::host
