// The rows of the counter catalogue as the build-time generator reads them from the .tsv files
// here. Pure functions of the text; every problem is collected as "file:line: message".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rdmadiag::catalogue {

struct Problem {
  std::string file;
  std::size_t line = 0;
  std::string message;
};

struct Metric {
  std::string name;
  std::string type;   // counter | gauge
  std::string scope;  // device | port | netdev
  std::string label;  // the index label, or empty
  std::string counter_class;
  std::string severity;
  std::string help;
  std::string file;
  std::size_t line = 0;
  std::vector<std::string> sources;  // "ports/N/hw_counters/out_of_sequence", for the help
};

struct Counter {
  std::string source;  // enumerator of CounterSource without the k
  std::string driver;  // empty for any
  std::string name;    // the kernel's, index filled in
  std::string index;   // the digits filled in, or empty
  std::string unit;
  std::string scale;  // a C++ floating-point literal
  int width_bits = 0;
  std::string metric;
  std::string counter_class;
  std::string severity;
  std::string meaning;
  std::string file;
  std::size_t line = 0;
};

struct Catalogue {
  std::map<std::string, Metric, std::less<>> metrics;
  std::vector<Counter> counters;  // sorted by source, driver, name
};

// Reads metrics.tsv, port_counters.tsv, hw_counters.tsv and ethtool_stats.tsv of `directory`.
[[nodiscard]] Catalogue read_catalogue(const std::string& directory,
                                       std::vector<Problem>& problems);

// "RxTIDFullEr,32" -> "rx_tid_full_er": what a metric name may hold, the same for the same name.
[[nodiscard]] std::string sanitise(std::string_view counter);

// What is wrong with a metric name, or an empty string. Follows `promtool check metrics`.
[[nodiscard]] std::string name_fault(std::string_view name, bool is_counter);

}  // namespace rdmadiag::catalogue
