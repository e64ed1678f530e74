#include "agent/cli/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "agent/core/unique_fd.h"
#include "agent/host/replace_file.h"

namespace rdmadiag::cli {
namespace {

struct ArchiveCloser {
  void operator()(::archive* handle) const noexcept { archive_free(handle); }
};
using ArchiveHandle = std::unique_ptr<::archive, ArchiveCloser>;

struct EntryCloser {
  void operator()(::archive_entry* entry) const noexcept { archive_entry_free(entry); }
};
using EntryHandle = std::unique_ptr<::archive_entry, EntryCloser>;

core::Error archive_error(::archive* handle, const std::string& what) {
  const char* text = archive_error_string(handle);
  return {{}, what + ": " + (text == nullptr ? "unknown error" : text)};
}

bool is_safe_path(const std::string& path) {
  if (path.empty() || path.front() == '/') return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = std::string_view(path).substr(at, end - at);
    if (part == ".." || part == "." || (part.empty() && end != path.size())) return false;
    at = end + 1;
  }
  return true;
}

core::Status write_member(::archive* out, const ArchiveMember& member) {
  // read_archive() would refuse the whole archive because of it.
  if (!is_safe_path(member.path)) return core::fail("bad name '" + member.path + "'");
  const EntryHandle entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), member.path.c_str());
  archive_entry_set_mtime(entry.get(), 0, 0);
  if (!member.link_target.empty()) {
    archive_entry_set_filetype(entry.get(), AE_IFLNK);
    archive_entry_set_symlink(entry.get(), member.link_target.c_str());
    archive_entry_set_perm(entry.get(), 0777);
  } else {
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(member.content.size()));
  }
  if (archive_write_header(out, entry.get()) != ARCHIVE_OK) {
    return tl::make_unexpected(archive_error(out, "writing " + member.path));
  }
  if (!member.content.empty() &&
      archive_write_data(out, member.content.data(), member.content.size()) < 0) {
    return tl::make_unexpected(archive_error(out, "writing " + member.path));
  }
  return {};
}

core::Status write_to(int descriptor, const std::vector<ArchiveMember>& members) {
  const ArchiveHandle out(archive_write_new());
  archive_write_set_format_pax_restricted(out.get());
  archive_write_add_filter_gzip(out.get());
  archive_write_set_filter_option(out.get(), "gzip", "timestamp", nullptr);
  if (archive_write_open_fd(out.get(), descriptor) != ARCHIVE_OK) {
    return tl::make_unexpected(archive_error(out.get(), "starting the archive"));
  }
  for (const ArchiveMember& member : members) {
    if (core::Status written = write_member(out.get(), member); !written) return written;
  }
  if (archive_write_close(out.get()) != ARCHIVE_OK) {
    return tl::make_unexpected(archive_error(out.get(), "finishing the archive"));
  }
  return {};
}

core::Result<std::string> read_content(::archive* in, const std::string& path) {
  std::string content;
  std::array<char, 65536> block{};
  while (true) {
    const la_ssize_t size = archive_read_data(in, block.data(), block.size());
    if (size < 0) return tl::make_unexpected(archive_error(in, "reading " + path));
    if (size == 0) return content;
    content.append(block.data(), static_cast<std::size_t>(size));
    if (content.size() > kMaxMemberSize) return core::fail(path + ": file too large");
  }
}

}  // namespace

core::Status write_archive(const std::string& path, const std::vector<ArchiveMember>& members) {
  return host::replace_file(path, 0600,
                            [&](int descriptor) { return write_to(descriptor, members); });
}

core::Result<std::vector<ArchiveMember>> read_archive(const std::string& path) {
  // Outlives the handle, which reads from it.
  const core::UniqueFd descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return core::errno_error(errno, "opening " + path);
  const ArchiveHandle in(archive_read_new());
  archive_read_support_format_tar(in.get());
  archive_read_support_filter_gzip(in.get());
  if (archive_read_open_fd(in.get(), descriptor.get(), 65536) != ARCHIVE_OK) {
    return tl::make_unexpected(archive_error(in.get(), "opening " + path));
  }
  std::vector<ArchiveMember> members;
  std::size_t total = 0;
  ::archive_entry* entry = nullptr;
  while (true) {
    const int result = archive_read_next_header(in.get(), &entry);
    if (result == ARCHIVE_EOF) return members;
    if (result != ARCHIVE_OK)
      return tl::make_unexpected(archive_error(in.get(), "reading " + path));
    const char* name = archive_entry_pathname(entry);
    ArchiveMember member{name == nullptr ? "" : name, "", ""};
    const auto type = archive_entry_filetype(entry);
    if (type != AE_IFREG && type != AE_IFLNK) continue;
    if (!is_safe_path(member.path)) return core::fail(path + ": bad name '" + member.path + "'");
    if (members.size() >= kMaxArchiveMembers) return core::fail(path + ": too many files");
    if (type == AE_IFLNK) {
      const char* target = archive_entry_symlink(entry);
      member.link_target = target == nullptr ? "" : target;
    } else {
      auto content = read_content(in.get(), path);
      if (!content) return tl::make_unexpected(content.error());
      member.content = std::move(*content);
      total += member.content.size();
      if (total > kMaxArchiveSize) return core::fail(path + ": too large when unpacked");
    }
    members.push_back(std::move(member));
  }
}

}  // namespace rdmadiag::cli
