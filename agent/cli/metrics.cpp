// `rdmadiag metrics`: the catalogue.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/cli/commands.h"
#include "agent/cli/options.h"
#include "agent/cli/words.h"
#include "agent/core/catalogue.h"

namespace rdmadiag::cli {
namespace {

using core::CounterSpec;
using core::MetricSpec;
using exporters::Paint;

struct Options {
  std::string pattern;
  std::string counter_class;
  bool markdown = false;
};

bool matches(const MetricSpec& metric, const Options& options) {
  if (!options.counter_class.empty() && metric.counter_class != options.counter_class) return false;
  if (metric.name.find(options.pattern) != std::string_view::npos) return true;
  for (const CounterSpec& counter : core::all_counters()) {
    if (counter.metric == &metric && counter.name.find(options.pattern) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::string labels_of(const MetricSpec& metric) {
  std::string labels(scope_labels(metric.scope));
  if (!metric.index_label.empty()) labels += ", " + std::string(metric.index_label);
  return labels;
}

// "mlx5 out_of_sequence": without the single values of an index.
std::vector<const CounterSpec*> counters_of(const MetricSpec& metric) {
  std::vector<const CounterSpec*> counters;
  for (const CounterSpec& counter : core::all_counters()) {
    if (counter.metric == &metric && (counter.index.empty() || counter.index == "0")) {
      counters.push_back(&counter);
    }
  }
  return counters;
}

// Each line in colour by itself: a line break within would be spelled out.
void print_wrapped(const std::string& text, Paint paint, Context& context) {
  const auto& style = context.world.style;
  std::istringstream lines(exporters::wrapped(text, 4, style));
  for (std::string line; std::getline(lines, line);) {
    context.out() << exporters::painted(line, paint, style) << "\n";
  }
}

void print_text(const MetricSpec& metric, Context& context) {
  print_wrapped(std::string(metric.name), Paint::kBold, context);
  print_wrapped("    " + std::string(metric.help), Paint::kPlain, context);
  print_wrapped("    " + std::string(type_name(metric.type)) + ", labels " + labels_of(metric) +
                    ", class " + std::string(metric.counter_class) + ", " +
                    std::string(severity_word(metric.severity)),
                Paint::kFaint, context);
}

void print_markdown(const MetricSpec& metric, Context& context) {
  std::string help;
  for (const char c : metric.help) help += c == '|' ? std::string("\\|") : std::string(1, c);
  context.out() << "| " << metric.name << " | " << labels_of(metric) << " | "
                << metric.counter_class << " | " << severity_word(metric.severity) << " | " << help
                << " |\n";
}

nlohmann::json to_json(const MetricSpec& metric) {
  nlohmann::json counters = nlohmann::json::array();
  for (const CounterSpec* counter : counters_of(metric)) {
    counters.push_back({{"source", source_word(counter->source)},
                        {"driver", counter->driver},
                        {"name", counter->name},
                        {"unit", counter->unit},
                        {"scale", counter->scale},
                        {"width_bits", counter->width_bits},
                        {"meaning", counter->meaning}});
  }
  return {{"name", metric.name},         {"type", type_name(metric.type)},
          {"labels", labels_of(metric)}, {"class", metric.counter_class},
          {"help", metric.help},         {"severity", severity_word(metric.severity)},
          {"counters", counters}};
}

int show(const Options& options, Context& context) {
  nlohmann::json list = nlohmann::json::array();
  std::size_t found = 0;
  if (options.markdown) {
    context.out() << "| metric | labels | class | severity | meaning |\n|---|---|---|---|---|\n";
  }
  for (const MetricSpec& metric : core::all_metrics()) {
    if (!matches(metric, options)) continue;
    ++found;
    if (context.options.json) {
      list.push_back(to_json(metric));
    } else if (options.markdown) {
      print_markdown(metric, context);
    } else {
      print_text(metric, context);
    }
  }
  if (context.options.json) {
    context.out() << nlohmann::json{{"schema_version", 1}, {"metrics", list}}.dump(2) << "\n";
  }
  if (found > 0) return kExitFine;
  context.err() << "rdmadiag: no metric matches\n";
  return kExitUnknown;
}

}  // namespace

Action define_metrics(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("pattern", options->pattern,
                 "Only metrics with this in their name or in the name of one of their counters")
      ->type_name("TEXT");
  add_word_option(app, "--class", options->counter_class, "CLASS",
                  "Only metrics of this class, e.g. retransmit");
  app.add_flag("--markdown", options->markdown, "Print the table of docs/metrics.md");
  return [options](Context& context) { return show(*options, context); };
}

}  // namespace rdmadiag::cli
