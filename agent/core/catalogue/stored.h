// The counters' rows as they lie in the program: text by its place in one block. Pointers would be
// a quarter of a megabyte of relocations, resident in each process, of which a host needs the fifty
// rows of its driver: catalogue.cpp makes those as they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "agent/core/catalogue.h"

namespace rdmadiag::core {

struct StoredText {
  std::uint32_t start;
  std::uint32_t size;
};

// As CounterSpec, `metric` by its position in all_metrics().
struct StoredCounter {
  CounterSource source;
  StoredText driver;
  StoredText name;
  StoredText index;
  StoredText unit;
  double scale;
  std::uint8_t width_bits;
  std::uint16_t metric;
  StoredText counter_class;
  Severity severity;
  StoredText meaning;
};

// Generated. Sorted by source, driver and name.
[[nodiscard]] std::span<const StoredCounter> stored_counters();
[[nodiscard]] std::string_view stored_text(StoredText text);
// Room for a CounterSpec of each row; memory that is not touched is not taken.
[[nodiscard]] CounterSpec* room_for_counters();

}  // namespace rdmadiag::core
