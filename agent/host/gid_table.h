// A port's GID table from sysfs. It has up to a thousand slots (soft-RoCE: 1,024), nearly all of
// them empty, and a file a slot: walking it whole costs more than everything else of a device. The
// kernel fills the first empty slot, so this looks often where something can change, and at the
// rest in pieces:
//  - at refresh: the filled slots and the first empty ones, then one piece further on,
//  - two seconds after a refresh that came before its time, because something was told of: those
//    once more, since the kernel fills the table a while after it tells of an address,
//  - at every read: the first empty slot alone, by a descriptor that stays open.
// Used by one device's reader thread alone.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"
#include "agent/host/value_file.h"

namespace rdmadiag::host {

class GidTable {
 public:
  // `directory` is …/ports/N; refreshes come that often when nothing is told of. The session must
  // outlive the table.
  GidTable(ReadSession& session, std::string directory, std::chrono::nanoseconds refresh_interval)
      : session_(&session), directory_(std::move(directory)), refresh_interval_(refresh_interval) {}

  // Brings the entries up to date. `refresh`: the slots may be others than before.
  void read(core::LinkLayer link_layer, bool refresh, IssueLog& issues);

  // What the next read() reads in any case; null when there is nothing.
  [[nodiscard]] ValueFile* watched() { return sentinel_ ? &*sentinel_ : nullptr; }

  // The filled slots by index; those whose type or netdev the kernel does not tell keep them empty.
  [[nodiscard]] const std::vector<core::GidEntry>& entries() const { return entries_; }

  // A piece ends after so many empty slots. No table of a hardware driver is larger, so those are
  // whole after the first read; until a larger one is, every read looks at a piece.
  static constexpr int kEmptyAtOnce = 256;

 private:
  class Walk;

  void list(IssueLog& issues);
  void look_closely(Walk& walk);
  void look_further(Walk& walk);
  [[nodiscard]] bool sentinel_moved();
  void take_entries();
  [[nodiscard]] std::string slot_path(int slot) const;

  ReadSession* session_;
  std::string directory_;
  std::chrono::nanoseconds refresh_interval_;
  std::optional<core::SteadyTime> refreshed_;
  std::vector<int> slots_;  // ascending
  std::map<int, core::GidEntry> filled_;
  std::set<int> failed_;  // until refresh
  std::size_t next_ = 0;  // of slots_: where the next piece begins
  bool seen_whole_ = false;
  std::optional<core::SteadyTime> look_again_;
  std::optional<ValueFile> sentinel_;  // the first empty slot
  std::vector<core::GidEntry> entries_;
};

// The numeric names of a directory, ascending; nothing when it is absent or cannot be listed.
[[nodiscard]] std::vector<int> list_slots(ReadSession& session, const std::string& path,
                                          IssueLog& issues);

// Passes over EINVAL, how the kernel says that a slot is empty, and ENOENT, that it has no such
// file.
void note_unless_empty(const ReadOutcome& outcome, const std::string& path, IssueLog& issues);

// A table that fails this often in one walk is not going to answer: the rest is left for next time.
inline constexpr int kMaxSlotErrors = 3;

}  // namespace rdmadiag::host
