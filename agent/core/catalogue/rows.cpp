#include "agent/core/catalogue/rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>

#include "agent/core/catalogue/tsv.h"
#include "agent/core/catalogue/words.h"

namespace rdmadiag::catalogue {
namespace {

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// One row of any of the three counter tables.
struct Row {
  Counter counter;
  std::string kind;
  std::string scope;
};

class Reader {
 public:
  Reader(std::string directory, std::vector<Problem>& problems)
      : directory_(std::move(directory)), problems_(problems) {}

  Catalogue read() {
    read_metrics();
    read_port_counters();
    read_hw_counters();
    read_ethtool_stats();
    note_port_names();
    for (Row& row : rows_) add(row);
    for (const auto& [name, metric] : catalogue_.metrics) {
      if (metric.sources.empty()) report(metric.file, metric.line, name + " has no counter");
    }
    sort_counters();
    return std::move(catalogue_);
  }

 private:
  void report(const std::string& file, std::size_t line, std::string message) {
    problems_.push_back({file, line, std::move(message)});
  }

  [[nodiscard]] std::string path(std::string_view file) const {
    return directory_ + "/" + std::string(file);
  }

  bool check_words(const std::string& file, std::size_t line, std::string_view counter_class,
                   std::string_view severity) {
    bool good = true;
    if (!is_class(counter_class)) {
      report(file, line, "unknown class '" + std::string(counter_class) + "'");
      good = false;
    }
    if (!is_severity(severity)) {
      report(file, line, "severity is info, warn or critical, not '" + std::string(severity) + "'");
      good = false;
    }
    return good;
  }

  bool check_metric(const Metric& m) {
    bool good = check_words(m.file, m.line, m.counter_class, m.severity);
    const auto need = [&](bool holds, const std::string& message) {
      if (!holds) report(m.file, m.line, message);
      good = good && holds;
    };
    need(m.type == "counter" || m.type == "gauge",
         "type is counter or gauge, not '" + m.type + "'");
    need(m.scope == "device" || m.scope == "port" || m.scope == "netdev",
         "scope is device, port or netdev, not '" + m.scope + "'");
    need(!m.help.empty(), m.name + " has no help");
    need(m.label.empty() || is_label(m.label), "unknown label '" + m.label + "'");
    const std::string fault = name_fault(m.name, m.type == "counter");
    need(fault.empty(), m.name + " " + fault);
    const auto known = catalogue_.metrics.find(m.name);
    need(known == catalogue_.metrics.end(), m.name + " is there twice");
    return good;
  }

  void read_metrics() {
    const std::string file = path("metrics.tsv");
    for (TsvRow& row : read_tsv(
             file, {"metric", "type", "scope", "label", "class", "severity", "help"}, problems_)) {
      auto& c = row.cells;
      Metric m{c[0], c[1], c[2], c[3], c[4], c[5], capital(c[6]), file, row.line, {}};
      if (check_metric(m)) catalogue_.metrics.emplace(m.name, m);
    }
  }

  void read_port_counters() {
    const std::string file = path("port_counters.tsv");
    for (const TsvRow& row : read_tsv(file,
                                      {"counter", "set", "unit", "width_bits", "metric", "class",
                                       "severity", "meaning", "notes"},
                                      problems_)) {
      const auto& c = row.cells;
      if (c[3] != "0" && c[3] != "4" && c[3] != "8" && c[3] != "16" && c[3] != "32") {
        report(file, row.line, "width_bits is 0, 4, 8, 16 or 32, not '" + c[3] + "'");
        continue;
      }
      rows_.push_back({{"PortCounters", "", c[0], "", c[2], "", std::stoi(c[3]), c[4], c[5], c[6],
                        c[7], file, row.line},
                       "counter",
                       "port"});
    }
  }

  void read_hw_counters() {
    const std::string file = path("hw_counters.tsv");
    for (const TsvRow& row : read_tsv(file,
                                      {"driver", "counter", "scope", "kind", "unit", "metric",
                                       "class", "severity", "meaning", "availability"},
                                      problems_)) {
      const auto& c = row.cells;
      if (c[2] != "port" && c[2] != "device") {
        report(file, row.line, "scope is port or device, not '" + c[2] + "'");
        continue;
      }
      const char* source = c[2] == "port" ? "PortHwCounters" : "DeviceHwCounters";
      rows_.push_back(
          {{source, c[0], c[1], "", c[4], "", 0, c[5], c[6], c[7], c[8], file, row.line},
           c[3],
           c[2]});
    }
  }

  void read_ethtool_stats() {
    const std::string file = path("ethtool_stats.tsv");
    for (const TsvRow& row : read_tsv(file,
                                      {"driver", "counter", "kind", "unit", "metric", "class",
                                       "severity", "meaning", "notes"},
                                      problems_)) {
      const auto& c = row.cells;
      rows_.push_back(
          {{"Ethtool", c[0], c[1], "", c[3], "", 0, c[4], c[5], c[6], c[7], file, row.line},
           c[2],
           "netdev"});
    }
  }

  void note_port_names() {
    for (const Row& row : rows_) {
      if (row.scope == "port") port_names_.insert({row.counter.driver, sanitise(row.counter.name)});
    }
  }

  // A counter without a neutral metric gets one of its own, named after its driver and itself.
  bool make_own_metric(Row& row, const Index* index, std::string_view suffix) {
    const Counter& c = row.counter;
    const std::string rest = sanitise(c.name);
    std::string name = "rdma_" + sanitise(c.driver) + "_";
    if (row.scope == "device" && port_names_.contains({c.driver, rest})) name += "device_";
    name += rest;
    if (unit_suffix(name) != suffix) name += suffix;
    if (row.kind == "counter") name += "_total";
    Metric m{name,
             row.kind,
             std::string(row.scope),
             index ? std::string(index->label) : "",
             c.counter_class,
             c.severity,
             capital(c.meaning),
             c.file,
             c.line,
             {}};
    row.counter.metric = name;
    if (!check_metric(m)) return false;
    catalogue_.metrics.emplace(name, std::move(m));
    return true;
  }

  bool check_against_metric(const Row& row, const Metric& m, const Index* index,
                            std::string_view suffix) {
    const Counter& c = row.counter;
    const auto need = [&](bool holds, const std::string& message) {
      if (!holds) report(c.file, c.line, message);
      return holds;
    };
    const std::string label = index ? std::string(index->label) : "";
    const bool one_source = m.sources.empty() || m.sources.front().starts_with(c.source + "/");
    return need(one_source, m.name + " is already read from another place than " + c.name) &&
           need(m.type == row.kind,
                c.name + " is a " + row.kind + ", " + m.name + " a " + m.type) &&
           need(m.scope == row.scope,
                c.name + " is of the " + row.scope + ", " + m.name + " of the " + m.scope) &&
           need(m.label.empty() || m.label == label,
                m.name + " needs the index '" + m.label + "', " + c.name + " has none") &&
           need(unit_suffix(m.name) == suffix, "a metric of unit '" + c.unit + "' ends in '" +
                                                   std::string(suffix) + "', not as " + m.name);
  }

  void add(Row& row) {
    Counter& c = row.counter;
    if (c.name.empty() || c.meaning.empty()) {
      report(c.file, c.line, "counter and meaning may not be empty");
      return;
    }
    if (!check_words(c.file, c.line, c.counter_class, c.severity)) return;
    if (row.kind != "counter" && row.kind != "gauge") {
      report(c.file, c.line, "kind is counter or gauge, not '" + row.kind + "'");
      return;
    }
    const Index* index = find_index(c.name);
    if (index == nullptr && c.name.find_first_of("{}") != std::string::npos) {
      report(c.file, c.line, "unknown index in '" + c.name + "'");
      return;
    }
    const Unit* unit = find_unit(c.unit);
    if (unit == nullptr) {
      report(c.file, c.line, "unknown unit '" + c.unit + "'");
      return;
    }
    c.scale = unit->scale;
    if (c.metric.empty() && !make_own_metric(row, index, unit->suffix)) return;
    const auto metric = catalogue_.metrics.find(c.metric);
    if (metric == catalogue_.metrics.end()) {
      report(c.file, c.line, "metrics.tsv has no " + c.metric);
      return;
    }
    if (!check_against_metric(row, metric->second, index, unit->suffix)) return;
    metric->second.sources.push_back(c.source + "/" + c.name);
    expand(c, index);
  }

  void expand(const Counter& c, const Index* index) {
    if (index == nullptr) {
      add_unique(c);
      return;
    }
    for (int value = 0; value <= index->last; ++value) add_unique(filled(c, *index, value));
    if (index->extra >= 0) add_unique(filled(c, *index, index->extra));
  }

  static Counter filled(const Counter& c, const Index& index, int value) {
    Counter out = c;
    out.index = std::to_string(value);
    out.name.replace(out.name.find(index.placeholder), index.placeholder.size(), out.index);
    return out;
  }

  void add_unique(Counter c) {
    if (!seen_.insert({c.source, c.driver, c.name}).second) {
      report(c.file, c.line,
             c.name + " is there twice for " + (c.driver.empty() ? "any driver" : c.driver));
      return;
    }
    catalogue_.counters.push_back(std::move(c));
  }

  void sort_counters() {
    constexpr std::array<std::string_view, 4> kOrder = {"PortCounters", "PortHwCounters",
                                                        "DeviceHwCounters", "Ethtool"};
    const auto key = [&](const Counter& c) {
      return std::tuple(std::find(kOrder.begin(), kOrder.end(), c.source) - kOrder.begin(),
                        std::string_view(c.driver), std::string_view(c.name));
    };
    std::sort(catalogue_.counters.begin(), catalogue_.counters.end(),
              [&](const Counter& a, const Counter& b) { return key(a) < key(b); });
  }

  std::string directory_;
  std::vector<Problem>& problems_;
  std::vector<Row> rows_;
  std::set<std::pair<std::string, std::string>> port_names_;
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
  Catalogue catalogue_;
};

}  // namespace

Catalogue read_catalogue(const std::string& directory, std::vector<Problem>& problems) {
  return Reader(directory, problems).read();
}

}  // namespace rdmadiag::catalogue
