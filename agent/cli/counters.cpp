// `rdmadiag counters`: every counter, what it means, and how fast it moves.
#include <CLI/CLI.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/counters_json.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/cli/place.h"
#include "agent/core/changes.h"
#include "agent/core/strict_reader.h"
#include "exporters/text.h"

namespace rdmadiag::cli {
namespace {

struct Options {
  ObserverOptions observer;
  exporters::CounterSelection selection;
  std::chrono::nanoseconds diff{0};  // 0: not asked for
  std::chrono::nanoseconds watch{0};
};

void print(const std::vector<core::DeviceChanges>& changes, const Options& options,
           Context& context) {
  if (context.options.json) {
    context.out() << counters_json(changes, options.selection) << "\n";
    return;
  }
  const std::string text =
      exporters::render_counters(changes, options.selection, context.world.style);
  context.out() << (text.empty() ? "no counter to show\n" : text);
}

std::vector<core::DeviceChanges> changes_between(const Observation& before,
                                                 const Observation& now) {
  return core::host_changes(*before.host, *now.host);
}

// An agent answers from its last reading for a while (collect.min_interval): that is no second
// look.
bool is_newer(const Options& options, const Observation& before, const Observation& now) {
  if (options.observer.agent.address.empty()) return true;
  const auto& devices = now.host->devices;
  return std::none_of(devices.begin(), devices.end(), [&](const core::DeviceEntry& entry) {
    const core::DeviceSnapshot* const earlier = core::find_device(*before.host, entry.name);
    return entry.snapshot && earlier && earlier->read_at == entry.snapshot->read_at;
  });
}

// The next look; an agent is asked until it has read anew, for two minutes at most. Whoever
// interrupts gets what there is by then.
core::Result<Observation> look_again(Observer& observer, const Observation& before,
                                     const Options& options, Context& context) {
  constexpr auto kPause = std::chrono::milliseconds(200);
  constexpr int kMost = 600;
  auto now = observer.observe();
  for (int i = 0; now && !is_newer(options, before, *now); ++i) {
    if (i == kMost)
      return core::fail(options.observer.agent.address +
                        " gives the same reading again: it reads no oftener than its "
                        "collect.min_interval");
    if (!context.world.wait(kPause)) break;
    now = observer.observe();
  }
  return now;
}

int show_diff(Observer& observer, const Observation& first, const Options& options,
              Context& context) {
  if (!context.options.json) {
    context.err() << "reading for " << core::format_duration(options.diff) << "\n";
  }
  // Whoever interrupts wants to see what there is by then.
  (void)context.world.wait(options.diff);
  const auto second = look_again(observer, first, options, context);
  if (!second) return report_failure(context, second.error());
  print(changes_between(first, *second), options, context);
  return kExitFine;
}

int show_watch(Observer& observer, Observation before, const Options& options, Context& context) {
  print(changes_between({std::make_shared<core::HostSnapshot>(), {}}, before), options, context);
  context.out().flush();
  while (context.world.wait(options.watch)) {
    auto now = look_again(observer, before, options, context);
    if (!now) return report_failure(context, now.error());
    if (!is_newer(options, before, *now)) return kExitFine;  // interrupted
    if (context.world.out_is_terminal && !context.options.json) context.out() << "\x1b[H\x1b[2J";
    print(changes_between(before, *now), options, context);
    context.out().flush();
    if (!context.out()) return kExitFine;  // nobody reads any more
    before = std::move(*now);
  }
  return kExitFine;
}

int show(const Options& options, Context& context) {
  const bool twice = options.diff.count() > 0 || options.watch.count() > 0;
  if (twice && options.observer.agent.address.empty() && is_capture(context)) {
    context.err() << "rdmadiag: a capture does not change: --diff and --watch have nothing to "
                     "compare\n";
    return kExitUsage;
  }
  auto observer = open_observer(context, options.observer);
  if (!observer) return report_failure(context, observer.error());
  auto seen = (*observer)->observe();
  if (!seen) return report_failure(context, seen.error());
  if (twice && !seen->agent.diagnosis.any_device) return tell_devices(context, *seen->host);
  if (options.diff.count() > 0) return show_diff(**observer, *seen, options, context);
  if (options.watch.count() > 0) {
    return show_watch(**observer, std::move(*seen), options, context);
  }
  print(changes_between({std::make_shared<core::HostSnapshot>(), {}}, *seen), options, context);
  return tell_devices(context, *seen->host);
}

}  // namespace

Action define_counters(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::Option* diff = add_duration_option(app, "--diff", options->diff,
                                          "Read twice, this long apart, and show what moved");
  add_duration_option(app, "--watch", options->watch,
                      "Show again and again what moved (default every 2s)")
      ->expected(0, 1)
      ->default_str("2s")
      ->excludes(diff);
  app.add_flag("--nonzero", options->selection.nonzero,
               "Leave out what stands at 0, or did not move");
  app.add_option("--class", options->selection.classes,
                 "Only these classes, e.g. retransmit,cnp_ecn")
      ->delimiter(',')
      ->transform(
          CLI::Validator([](std::string& text) { return take_word("CLASS", text); }, "", "class"))
      ->type_name("CLASS");
  app.add_flag("--raw", options->selection.raw,
               "The metric's name too, and values as the kernel counts");
  add_agent_option(app, options->observer);
  return [options](Context& context) { return show(*options, context); };
}

}  // namespace rdmadiag::cli
