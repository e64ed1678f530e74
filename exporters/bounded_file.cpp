#include "exporters/bounded_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "agent/core/unique_fd.h"

namespace rdmadiag::exporters {

core::Result<std::string> read_bounded_file(const std::filesystem::path& path, std::size_t limit) {
  const std::string doing = "reading " + path.string();
  const core::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) {
    return core::errno_error(errno, doing);
  }
  if (!S_ISREG(status.st_mode)) {
    return core::fail(doing + ": not a regular file");
  }
  std::string text(limit + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(file.get(), text.data() + size, text.size() - size);
    if (count < 0) {
      return core::errno_error(errno, doing);
    }
    if (count == 0) {
      break;
    }
    size += static_cast<std::size_t>(count);
  }
  if (size > limit) {
    return core::fail(doing + ": larger than " + std::to_string(limit) + " bytes");
  }
  text.resize(size);
  return text;
}

}  // namespace rdmadiag::exporters
