#include "agent/host/counter_directory.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/counter_names.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

constexpr std::string_view kLifespan = "lifespan";

bool holds_values(const DirectoryEntry& entry) {
  return entry.kind != DirectoryEntry::Kind::kDirectory && !entry.name.starts_with('.');
}

}  // namespace

CounterDirectory::CounterDirectory(ReadSession& session, std::string path,
                                   core::CounterSource counters, core::Source source,
                                   std::string driver)
    : session_(&session),
      path_(std::move(path)),
      counter_source_(counters),
      source_(source),
      driver_(std::move(driver)) {}

bool CounterDirectory::read(std::vector<core::CounterSample>& samples, IssueLog& issues) {
  // When listing anew fails, what is known is still read.
  const bool listed = prepare(issues);
  samples.reserve(samples.size() + counters_.size());
  const std::size_t before = samples.size();
  session_->begin_batch();
  for (Counter& counter : counters_) counter.file.join_batch();
  session_->run_batch();
  for (Counter& counter : counters_) {
    const auto value = read_value(counter.file, source_, issues, parse_counter);
    if (!value) continue;
    core::CounterSample& sample = samples.emplace_back();
    sample.source = counter_source_;
    sample.spec = counter.spec;
    if (counter.spec == nullptr) sample.unknown_name = core::to_utf8(counter.name);
    sample.value = *value;
  }
  return listed && (counters_.empty() || samples.size() > before);
}

bool CounterDirectory::list(IssueLog& issues) {
  if (backoff_.must_wait(session_->now())) {
    issues.add({.source = source_,
                .path = path_,
                .reason = backoff_.reason(),
                .error_number = backoff_.error_number(),
                .detail = {},
                .backing_off = true});
    return false;
  }
  std::vector<DirectoryEntry> entries;
  const int error_number = -session_->files().list(path_, entries);
  if (error_number != 0 && error_number != ENOENT) {
    backoff_.record_failure(session_->now(), core::classify_errno(error_number), error_number);
    issues.add_errno(source_, path_, error_number);
    return false;
  }
  backoff_.record_success();
  std::vector<std::string> names;
  for (DirectoryEntry& entry : entries) {
    if (holds_values(entry)) names.push_back(std::move(entry.name));
  }
  std::sort(names.begin(), names.end());
  has_lifespan_ = std::erase(names, kLifespan) > 0;
  take_names(std::move(names));
  read_lifespan(issues);
  listed_ = true;
  return true;
}

// Files that are still there keep their descriptor and their back-off.
void CounterDirectory::take_names(std::vector<std::string> names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::vector<const core::CounterSpec*> rows = find_rows(counter_source_, driver_, views);
  std::vector<Counter> counters;
  counters.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    const auto old = std::lower_bound(
        counters_.begin(), counters_.end(), name,
        [](const Counter& counter, const std::string& n) { return counter.name < n; });
    if (old != counters_.end() && old->name == name) {
      counters.push_back({std::move(name), rows[i], std::move(old->file)});
    } else {
      ValueFile file(*session_, path_ + "/" + name);
      counters.push_back({std::move(name), rows[i], std::move(file)});
    }
  }
  counters_ = std::move(counters);
}

void CounterDirectory::read_lifespan(IssueLog& issues) {
  lifespan_.reset();
  if (!has_lifespan_) return;
  const StandingIssues standing(issues);
  ValueFile file(*session_, path_ + "/" + std::string(kLifespan));
  lifespan_ = read_value(file, source_, issues, parse_counter);
}

}  // namespace rdmadiag::host
