#include "agent/core/catalogue/words.h"

#include <algorithm>
#include <array>

namespace rdmadiag::catalogue {
namespace {

constexpr std::array<Index, 7> kIndexes = {{{"{P}", "priority", 7, -1},
                                            {"{L}", "lane", 7, -1},
                                            {"{Q}", "cos", 7, -1},
                                            {"{B}", "", 3, -1},
                                            {"{VL}", "vl", 7, 15},
                                            {"{ENGINE}", "engine", 15, -1},
                                            {"{CTX}", "", 159, -1}}};

constexpr std::array<Unit, 10> kBaseUnits = {{{"bytes", "1", "_bytes"},
                                              {"4-octet words", "4", "_bytes"},
                                              {"4-byte words", "4", "_bytes"},
                                              {"flits (8 bytes)", "8", "_bytes"},
                                              {"4KiB pages", "4096", "_bytes"},
                                              {"bit times", "0.125", "_bytes"},
                                              {"seconds", "1", "_seconds"},
                                              {"milliseconds", "1e-3", "_seconds"},
                                              {"microseconds", "1e-6", "_seconds"},
                                              {"percent", "1e-2", "_ratio"}}};

constexpr std::array kCountedUnits = std::to_array<Unit>({
    {"LTPs", "1", ""},        {"bit errors", "1", ""},  {"bitmask", "1", ""},
    {"blocks", "1", ""},      {"commands", "1", ""},    {"completions", "1", ""},
    {"connections", "1", ""}, {"contexts", "1", ""},    {"credits", "1", ""},
    {"cycles", "1", ""},      {"descriptors", "1", ""}, {"errors", "1", ""},
    {"events", "1", ""},      {"faults", "1", ""},      {"frames", "1", ""},
    {"interrupts", "1", ""},  {"naks", "1", ""},        {"objects", "1", ""},
    {"operations", "1", ""},  {"packets", "1", ""},     {"pages", "1", ""},
    {"queues", "1", ""},      {"rate", "1", ""},        {"register", "1", ""},
    {"requests", "1", ""},    {"responses", "1", ""},   {"segments", "1", ""},
    {"symbols", "1", ""},     {"ticks", "1", ""},       {"time units", "1", ""},
    {"timeouts", "1", ""},
});

constexpr std::array kClasses = std::to_array<std::string_view>(
    {"access_error", "adaptive_retrans", "buffer",   "cnp_ecn",      "cq_error", "drop", "ecn",
     "fec",          "module",           "other",    "out_of_order", "pause",    "pcie", "pfc",
     "phy",          "ratelimit",        "resource", "retransmit",   "rnr",      "srd",  "timeout",
     "traffic"});

}  // namespace

const Index* find_index(std::string_view counter) {
  const auto* found = std::find_if(kIndexes.begin(), kIndexes.end(), [&](const Index& index) {
    return counter.find(index.placeholder) != std::string_view::npos;
  });
  return found == kIndexes.end() ? nullptr : found;
}

const Unit* find_unit(std::string_view name) {
  const auto has_name = [&](const Unit& unit) { return unit.name == name; };
  const auto* base = std::find_if(kBaseUnits.begin(), kBaseUnits.end(), has_name);
  if (base != kBaseUnits.end()) return base;
  const auto* counted = std::find_if(kCountedUnits.begin(), kCountedUnits.end(), has_name);
  return counted == kCountedUnits.end() ? nullptr : counted;
}

bool is_class(std::string_view word) {
  return std::find(kClasses.begin(), kClasses.end(), word) != kClasses.end();
}

bool is_severity(std::string_view word) {
  return word == "info" || word == "warn" || word == "critical";
}

bool is_label(std::string_view word) {
  return std::any_of(kIndexes.begin(), kIndexes.end(),
                     [&](const Index& index) { return !word.empty() && index.label == word; });
}

std::string_view unit_suffix(std::string_view metric) {
  if (metric.ends_with("_total")) metric.remove_suffix(6);
  for (const std::string_view suffix : {"_bytes", "_seconds", "_ratio"}) {
    if (metric.ends_with(suffix)) return suffix;
  }
  return "";
}

}  // namespace rdmadiag::catalogue
