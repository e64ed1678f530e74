// Build-time tool: checks the .tsv files of the counter catalogue and writes them as C++ tables.
// Usage: generate DIRECTORY OUTPUT. A bad row is named as file:line: message and fails the build.
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "agent/core/catalogue/rows.h"

namespace rdmadiag::catalogue {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string enumerator(std::string_view type, std::string_view word) {
  std::string out(word);
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return std::string(type) + "::k" + out;
}

std::string place(std::string_view source) {
  if (source == "PortCounters") return "ports/N/counters";
  if (source == "PortHwCounters") return "ports/N/hw_counters";
  if (source == "DeviceHwCounters") return "hw_counters or devlink health of the device";
  return "ethtool -S";
}

// Names the kernel source: the counters where they are few, else only where they are found.
std::string help_text(const Metric& metric) {
  const std::size_t slash = metric.sources.front().find('/');
  const std::string source = metric.sources.front().substr(0, slash);
  std::set<std::string> names;
  for (const std::string& s : metric.sources) names.insert(s.substr(slash + 1));
  std::string text = metric.help + " (" + place(source);
  if (names.size() <= 3) {
    const char* separator = ": ";
    for (const std::string& name : names) {
      text += separator + name;
      separator = ", ";
    }
  }
  return text + ").";
}

// One block of all texts, each once.
class Texts {
 public:
  // The StoredText of `text`.
  std::string place_of(const std::string& text) {
    const auto [entry, is_new] = starts_.try_emplace(text, size_);
    if (is_new) {
      literals_ += "\n    " + quoted(text);
      size_ += text.size();
    }
    return "{" + std::to_string(entry->second) + ", " + std::to_string(text.size()) + "}";
  }
  [[nodiscard]] const std::string& literals() const { return literals_; }

 private:
  std::map<std::string, std::size_t> starts_;
  std::string literals_;
  std::size_t size_ = 0;
};

void write_counters(std::ostream& out, const Catalogue& catalogue,
                    const std::map<std::string, std::size_t>& metrics) {
  Texts texts;
  out << "constexpr StoredCounter kCounters[] = {\n";
  for (const Counter& c : catalogue.counters) {
    out << "    {" << enumerator("CounterSource", c.source) << ", " << texts.place_of(c.driver)
        << ", " << texts.place_of(c.name) << ", " << texts.place_of(c.index) << ", "
        << texts.place_of(c.unit) << ", " << c.scale << ", " << c.width_bits << ", "
        << metrics.at(c.metric) << ", " << texts.place_of(c.counter_class) << ", "
        << enumerator("Severity", c.severity) << ", " << texts.place_of(c.meaning) << "},\n";
  }
  out << "};\n\nconstexpr char kTexts[] =" << texts.literals()
      << ";\n\nalignas(CounterSpec) std::byte room[std::size(kCounters) * "
         "sizeof(CounterSpec)];\n\n";
}

void write(std::ostream& out, const Catalogue& catalogue) {
  out << "// Generated from agent/core/catalogue/*.tsv.\n#include <iterator>\n\n"
         "#include \"agent/core/catalogue/stored.h\"\n\n"
         "namespace rdmadiag::core {\nnamespace {\n\nconstexpr MetricSpec kMetrics[] = {\n";
  std::map<std::string, std::size_t> positions;
  for (const auto& [name, m] : catalogue.metrics) {
    positions.emplace(name, positions.size());
    out << "    {" << quoted(name) << ", " << enumerator("MetricType", m.type) << ", "
        << enumerator("MetricScope", m.scope) << ", " << quoted(m.label) << ",\n     "
        << quoted(help_text(m)) << ", " << quoted(m.counter_class) << ", "
        << enumerator("Severity", m.severity) << "},\n";
  }
  out << "};\n\n";
  write_counters(out, catalogue, positions);
  out << "}  // namespace\n\n"
         "std::span<const MetricSpec> all_metrics() { return kMetrics; }\n"
         "std::span<const StoredCounter> stored_counters() { return kCounters; }\n"
         "std::string_view stored_text(StoredText text) { return {kTexts + text.start, text.size}; "
         "}\n"
         "CounterSpec* room_for_counters() { return reinterpret_cast<CounterSpec*>(room); }\n\n"
         "}  // namespace rdmadiag::core\n";
}

int run(const std::string& directory, const std::string& output) {
  std::vector<Problem> problems;
  const Catalogue catalogue = read_catalogue(directory, problems);
  for (const Problem& p : problems) {
    std::fprintf(stderr, "%s:%zu: %s\n", p.file.c_str(), p.line, p.message.c_str());
  }
  if (!problems.empty()) return 1;
  std::ofstream out(output);
  write(out, catalogue);
  out.close();
  if (!out) {
    std::fprintf(stderr, "%s: cannot be written\n", output.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace rdmadiag::catalogue

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: generate DIRECTORY OUTPUT\n");
    return 64;
  }
  return rdmadiag::catalogue::run(argv[1], argv[2]);
}
