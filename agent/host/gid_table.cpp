#include "agent/host/gid_table.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "agent/core/gid.h"
#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

using core::Source;

// Addresses come by the handful: an IPv4 and an IPv6 one, RoCE v1 and v2 of each.
constexpr int kEmptyWatched = 8;
constexpr std::chrono::seconds kSettling{2};

std::optional<core::Gid> parse_slot(std::string_view text) { return core::parse_gid(trim(text)); }

}  // namespace

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

void note_unless_empty(const ReadOutcome& outcome, const std::string& path, IssueLog& issues) {
  if (outcome.error_number == EINVAL || outcome.error_number == ENOENT) return;
  issues.add_outcome(Source::kSysfsPort, path, outcome);
}

// One look at some of the slots.
class GidTable::Walk {
 public:
  Walk(GidTable& table, core::LinkLayer link_layer, IssueLog& issues)
      : table_(table), link_layer_(link_layer), issues_(issues) {}

  // Whether it holds a GID. A slot that cannot be read holds none.
  bool visit(int slot) {
    if (!visited_.insert(slot).second) return table_.filled_.contains(slot);
    if (table_.failed_.contains(slot)) return false;
    table_.filled_.erase(slot);
    const std::string path = table_.slot_path(slot);
    const ReadOutcome outcome = table_.session_->read_once(path);
    if (!outcome.ok()) {
      if (outcome.error_number == EINVAL) return false;
      issues_.add_outcome(Source::kSysfsPort, path, outcome);
      table_.failed_.insert(slot);
      ++errors_;
      return false;
    }
    const auto gid = parse_slot(outcome.text);
    if (!gid) {
      issues_.add_parse_error(Source::kSysfsPort, path, outcome.text);
      table_.failed_.insert(slot);
      return false;
    }
    if (core::is_zero(*gid)) return false;
    core::GidEntry& entry = table_.filled_[slot];
    entry.index = slot;
    entry.gid = *gid;
    entry.type = type(slot);
    if (link_layer_ != core::LinkLayer::kInfiniband) entry.netdev = netdev(slot);
    return true;
  }

  [[nodiscard]] bool hopeless() const { return errors_ >= kMaxSlotErrors; }

 private:
  core::GidType type(int slot) {
    const std::string path = attribute("types", slot);
    const ReadOutcome outcome = table_.session_->read_once(path);
    if (outcome.ok()) return parse_gid_type(outcome.text, link_layer_);
    note_unless_empty(outcome, path, issues_);
    return link_layer_ == core::LinkLayer::kInfiniband ? core::GidType::kIb
                                                       : core::GidType::kUnknown;
  }

  std::string netdev(int slot) {
    const std::string path = attribute("ndevs", slot);
    const ReadOutcome outcome = table_.session_->read_once(path);
    if (outcome.ok()) return core::to_utf8(trim(outcome.text));
    note_unless_empty(outcome, path, issues_);
    return {};
  }

  [[nodiscard]] std::string attribute(const char* kind, int slot) const {
    return table_.directory_ + "/gid_attrs/" + kind + "/" + std::to_string(slot);
  }

  GidTable& table_;
  core::LinkLayer link_layer_;
  IssueLog& issues_;
  std::set<int> visited_;
  int errors_ = 0;
};

void GidTable::read(core::LinkLayer link_layer, bool refresh, IssueLog& issues) {
  const bool again = look_again_ && session_->now() >= *look_again_;
  const bool moved = sentinel_moved();
  if (!refresh && !again && !moved && seen_whole_) return;
  const StandingIssues standing(issues);
  Walk walk(*this, link_layer, issues);
  if (refresh) list(issues);
  if (refresh || again || moved) {
    look_closely(walk);
    const bool early = refresh && refreshed_ && session_->now() < *refreshed_ + refresh_interval_;
    look_again_.reset();
    if (early || moved) look_again_ = session_->now() + kSettling;
    if (refresh) refreshed_ = session_->now();
  }
  if (refresh || !seen_whole_) look_further(walk);
  take_entries();
}

void GidTable::list(IssueLog& issues) {
  slots_ = list_slots(*session_, directory_ + "/gids", issues);
  std::erase_if(filled_, [this](const auto& entry) {
    return !std::binary_search(slots_.begin(), slots_.end(), entry.first);
  });
  next_ = std::min(next_, slots_.size());
  failed_.clear();
}

// Where the kernel puts and takes away.
void GidTable::look_closely(Walk& walk) {
  int empty = 0;
  for (const int slot : slots_) {
    if (walk.hopeless()) break;
    const bool known = filled_.contains(slot);
    if (!known && empty == kEmptyWatched) continue;
    if (!walk.visit(slot) && !known) ++empty;
  }
}

void GidTable::look_further(Walk& walk) {
  int empty = 0;
  while (next_ < slots_.size() && empty < kEmptyAtOnce && !walk.hopeless()) {
    if (!walk.visit(slots_[next_++])) ++empty;
  }
  if (next_ < slots_.size() && !walk.hopeless()) return;
  next_ = 0;
  seen_whole_ = true;
}

bool GidTable::sentinel_moved() {
  if (!sentinel_) return false;
  const ReadOutcome outcome = sentinel_->read();
  const auto gid = outcome.ok() ? parse_slot(outcome.text) : std::nullopt;
  return gid && !core::is_zero(*gid);
}

void GidTable::take_entries() {
  entries_.clear();
  for (const auto& [slot, entry] : filled_) entries_.push_back(entry);
  const auto first_empty = std::find_if(slots_.begin(), slots_.end(),
                                        [this](int slot) { return !filled_.contains(slot); });
  if (first_empty == slots_.end()) {
    sentinel_.reset();
  } else if (const std::string path = slot_path(*first_empty);
             !sentinel_ || sentinel_->path() != path) {
    sentinel_.emplace(*session_, path, ValueFile::Presence::kOptional);
    (void)sentinel_->read();  // opens it now, so that later reads need not
  }
}

std::string GidTable::slot_path(int slot) const {
  return directory_ + "/gids/" + std::to_string(slot);
}

}  // namespace rdmadiag::host
