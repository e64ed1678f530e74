// `rdmadiag capture`: what this host told, as an archive that any command can replay.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/anonymise.h"
#include "agent/cli/capture_file.h"
#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/cli/place.h"
#include "agent/host/collect.h"
#include "agent/host/readiness.h"
#include "agent/host/recorder.h"
#include "agent/host/surroundings.h"

namespace rdmadiag::cli {
namespace {

struct Options {
  std::string file;
  bool keep_identifiers = false;
  bool queue_pairs = false;
};

host::Capture record(const Context& context, const Place& place, const Options& options) {
  const auto files = std::make_shared<host::RecordingFileReader>(place.files, place.roots);
  std::shared_ptr<host::RecordingNetlink> netlink;
  if (place.netlink != nullptr) netlink = std::make_shared<host::RecordingNetlink>(place.netlink);
  host::CollectorParts parts;
  parts.clock = context.world.clock;
  parts.files = files;
  parts.netlink = netlink;
  std::shared_ptr<host::RecordingAddresses> addresses;
  if (place.addresses) {
    addresses = std::make_shared<host::RecordingAddresses>(place.addresses);
    parts.more_sources = {host::surroundings_source([addresses] { return addresses->read(); })};
  }
  ObserverOptions observer;
  observer.queue_pairs = options.queue_pairs;
  host::Collector collector(place.roots, collect_options(context, observer), std::move(parts));
  const auto host = collector.collect();
  for (const core::DeviceEntry& entry : host->devices) {
    if (!entry.stuck) continue;
    context.err() << "rdmadiag: " << exporters::terminal_text(entry.name, context.world.style)
                  << " does not answer: the capture holds only a part of it\n";
  }
  (void)host::read_readiness(*files, place.roots);
  host::Capture capture;
  files->take(capture);
  if (netlink != nullptr) netlink->take(capture);
  if (addresses != nullptr) addresses->take(capture);
  return capture;
}

int run(const Options& options, Context& context) {
  if (const core::Status good = host::check_options(collect_options(context, {})); !good) {
    return report_failure(context, good.error());
  }
  const auto place = find_place(context);
  if (!place) return report_failure(context, place.error());
  host::Capture capture = record(context, *place, options);
  if (!options.keep_identifiers) capture = anonymise(capture);
  if (const core::Status written = write_capture(options.file, capture); !written) {
    return report_failure(context, written.error());
  }
  const auto& style = context.world.style;
  if (context.options.json) {
    context.out() << nlohmann::json{{"schema_version", 1},
                                    {"file",
                                     exporters::terminal_text(options.file, {.utf8 = true})},
                                    {"files", capture.files.size()},
                                    {"identifiers_replaced", !options.keep_identifiers}}
                         .dump(2)
                  << "\n";
  } else {
    context.out() << exporters::wrapped(options.file + ": " + std::to_string(capture.files.size()) +
                                            " files, " +
                                            (options.keep_identifiers
                                                 ? "with GUIDs, addresses and names as they are"
                                                 : "GUIDs, addresses and names replaced"),
                                        2, style)
                  << "\n";
  }
  return kExitFine;
}

}  // namespace

Action define_capture(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_output_file(app, options->file, "The archive to write, e.g. host.tar.gz");
  app.add_flag("--keep-identifiers", options->keep_identifiers,
               "Leave GUIDs, addresses and names as they are");
  app.add_flag("--qps", options->queue_pairs,
               "The queue pairs too: the kernel may ask the firmware for each");
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace rdmadiag::cli
