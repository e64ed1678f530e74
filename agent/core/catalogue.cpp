#include "agent/core/catalogue.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "agent/core/catalogue/stored.h"

namespace rdmadiag::core {
namespace {

CounterSpec make_row(const StoredCounter& stored) {
  return {.source = stored.source,
          .driver = stored_text(stored.driver),
          .name = stored_text(stored.name),
          .index = stored_text(stored.index),
          .unit = stored_text(stored.unit),
          .scale = stored.scale,
          .width_bits = stored.width_bits,
          .metric = &all_metrics()[stored.metric],
          .counter_class = stored_text(stored.counter_class),
          .severity = stored.severity,
          .meaning = stored_text(stored.meaning)};
}

// The rows that somebody has asked for, each made once and where it stays.
class Rows {
 public:
  const CounterSpec* at(std::size_t position) {
    const std::lock_guard lock(mutex_);
    return make(position);
  }

  std::span<const CounterSpec> all() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < is_made_.size(); ++i) make(i);
    return {room_for_counters(), is_made_.size()};
  }

 private:
  CounterSpec* make(std::size_t position) {
    CounterSpec* const row = room_for_counters() + position;
    if (!is_made_[position]) std::construct_at(row, make_row(stored_counters()[position]));
    is_made_[position] = true;
    return row;
  }

  std::mutex mutex_;
  std::vector<bool> is_made_ = std::vector<bool>(stored_counters().size());
};

Rows& rows() {
  static Rows* const made = new Rows;  // for threads that outlive main, too
  return *made;
}

auto key_of(const StoredCounter& row) {
  return std::tuple(row.source, stored_text(row.driver), stored_text(row.name));
}

const CounterSpec* find_exact(CounterSource source, std::string_view driver,
                              std::string_view name) {
  const std::span<const StoredCounter> stored = stored_counters();
  const auto key = std::tuple(source, driver, name);
  const auto found =
      std::lower_bound(stored.begin(), stored.end(), key,
                       [](const StoredCounter& row, const auto& k) { return key_of(row) < k; });
  if (found == stored.end() || key_of(*found) != key) return nullptr;
  return rows().at(static_cast<std::size_t>(found - stored.begin()));
}

}  // namespace

std::span<const CounterSpec> all_counters() { return rows().all(); }

const CounterSpec* find_counter(CounterSource source, std::string_view driver,
                                std::string_view name) {
  const CounterSpec* own = find_exact(source, driver, name);
  return own != nullptr ? own : find_exact(source, "", name);
}

}  // namespace rdmadiag::core
