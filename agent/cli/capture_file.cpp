#include "agent/cli/capture_file.h"

#include <algorithm>

#include "agent/cli/archive.h"
#include "agent/cli/capture_json.h"
#include "agent/host/capture_path.h"

namespace rdmadiag::cli {
namespace {

constexpr std::string_view kMeta = "capture.json";

// "sys/a/b" seen from "sys/c/d/link": "../../a/b".
std::string relative_target(const std::string& from, const std::string& to) {
  std::string out;
  for (const char c : from) {
    if (c == '/') out += "../";
  }
  return out + to;
}

bool has_below(const host::Capture& capture, const std::string& path) {
  const auto below = [&](const auto& entries) {
    const auto found = entries.lower_bound(path + "/");
    return found != entries.end() && found->first.starts_with(path + "/");
  };
  return below(capture.files) || below(capture.directories);
}

}  // namespace

core::Status write_capture(const std::string& path, const host::Capture& capture) {
  std::vector<ArchiveMember> members = {{std::string(kMeta), render_capture_json(capture), ""}};
  for (const auto& [name, file] : capture.files) {
    if (file.open_error != 0 || file.read_error != 0) continue;
    members.push_back({encode_bytes(name), file.content, ""});
  }
  // For other tools; our own replay takes links from capture.json.
  for (const auto& [name, target] : capture.resolved) {
    if (target.empty() || target == name || has_below(capture, name)) continue;
    if (capture.files.contains(name) || capture.directories.contains(name)) continue;
    members.push_back(
        {encode_bytes(name), "", relative_target(encode_bytes(name), encode_bytes(target))});
  }
  return write_archive(path, members);
}

core::Result<host::Capture> read_capture(const std::string& path) {
  auto members = read_archive(path);
  if (!members) return tl::make_unexpected(members.error());
  const auto meta = std::find_if(members->begin(), members->end(),
                                 [](const ArchiveMember& m) { return m.path == kMeta; });
  if (meta == members->end()) return core::fail(path + ": no capture: capture.json is missing");
  auto capture = parse_capture_json(meta->content);
  if (!capture) return core::fail(path + ": " + capture.error().message());
  for (ArchiveMember& member : *members) {
    if (member.path == kMeta || !member.link_target.empty()) continue;
    std::string name = decode_bytes(member.path);
    if (host::capture_path(name) != name) {
      return core::fail(path + ": bad name '" + member.path + "'");
    }
    capture->files[std::move(name)].content = std::move(member.content);
  }
  return capture;
}

}  // namespace rdmadiag::cli
