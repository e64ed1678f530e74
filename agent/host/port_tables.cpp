#include "agent/host/port_tables.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "agent/core/gid.h"
#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

using core::Source;

// A table that fails this often in one walk is not going to answer: the rest is left for next time.
constexpr int kMaxErrors = 3;

// The numeric names of a directory, ascending; nothing when it is absent or cannot be listed.
std::vector<int> list_slots(ReadSession& session, const std::string& path, IssueLog& issues) {
  std::vector<DirectoryEntry> entries;
  const int listed = session.files().list(path, entries);
  if (listed != 0) {
    if (listed != -ENOENT) issues.add_errno(Source::kSysfsPort, path, -listed);
    return {};
  }
  std::vector<int> slots;
  for (const DirectoryEntry& entry : entries) {
    const auto slot = parse_counter(entry.name);
    if (slot && *slot < FileReader::kMaxEntries) slots.push_back(static_cast<int>(*slot));
  }
  std::sort(slots.begin(), slots.end());
  return slots;
}

// EINVAL is how the kernel says that a slot is empty; ENOENT, that this kernel has no such file.
void note_unless_empty(const ReadOutcome& outcome, const std::string& path, IssueLog& issues) {
  if (outcome.error_number == EINVAL || outcome.error_number == ENOENT) return;
  issues.add_outcome(Source::kSysfsPort, path, outcome);
}

core::GidType read_type(ReadSession& session, const std::string& directory, int slot,
                        core::LinkLayer link_layer, IssueLog& issues) {
  const std::string path = directory + "/gid_attrs/types/" + std::to_string(slot);
  const ReadOutcome outcome = session.read_once(path);
  if (outcome.ok()) return parse_gid_type(outcome.text, link_layer);
  note_unless_empty(outcome, path, issues);
  return link_layer == core::LinkLayer::kInfiniband ? core::GidType::kIb : core::GidType::kUnknown;
}

std::string read_netdev(ReadSession& session, const std::string& directory, int slot,
                        IssueLog& issues) {
  const std::string path = directory + "/gid_attrs/ndevs/" + std::to_string(slot);
  const ReadOutcome outcome = session.read_once(path);
  if (outcome.ok()) return core::to_utf8(trim(outcome.text));
  note_unless_empty(outcome, path, issues);
  return {};
}

}  // namespace

std::vector<core::GidEntry> read_gids(ReadSession& session, const std::string& directory,
                                      core::LinkLayer link_layer, IssueLog& issues) {
  std::vector<core::GidEntry> gids;
  int errors = 0;
  for (const int slot : list_slots(session, directory + "/gids", issues)) {
    const std::string path = directory + "/gids/" + std::to_string(slot);
    const ReadOutcome outcome = session.read_once(path);
    if (!outcome.ok()) {
      if (outcome.error_number == EINVAL) continue;
      issues.add_outcome(Source::kSysfsPort, path, outcome);
      if (++errors == kMaxErrors) break;
      continue;
    }
    const auto gid = core::parse_gid(trim(outcome.text));
    if (!gid) {
      issues.add_parse_error(Source::kSysfsPort, path, outcome.text);
      continue;
    }
    if (core::is_zero(*gid)) continue;
    core::GidEntry& entry = gids.emplace_back();
    entry.index = slot;
    entry.gid = *gid;
    entry.type = read_type(session, directory, slot, link_layer, issues);
    if (link_layer != core::LinkLayer::kInfiniband) {
      entry.netdev = read_netdev(session, directory, slot, issues);
    }
  }
  return gids;
}

std::optional<int> count_pkeys(ReadSession& session, const std::string& directory,
                               IssueLog& issues) {
  int filled = 0;
  int errors = 0;
  bool any_read = false;
  for (const int slot : list_slots(session, directory + "/pkeys", issues)) {
    const std::string path = directory + "/pkeys/" + std::to_string(slot);
    const ReadOutcome outcome = session.read_once(path);
    const auto pkey = outcome.ok() ? parse_hex_u32(outcome.text) : std::nullopt;
    if (pkey) {
      any_read = true;
      if (*pkey != 0) ++filled;
      continue;
    }
    if (outcome.ok()) {
      issues.add_parse_error(Source::kSysfsPort, path, outcome.text);
    } else {
      note_unless_empty(outcome, path, issues);
    }
    if (++errors == kMaxErrors) break;
  }
  if (!any_read) return std::nullopt;
  return filled;
}

}  // namespace rdmadiag::host
