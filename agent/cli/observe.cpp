#include "agent/cli/observe.h"

#include <algorithm>
#include <utility>

#include "agent/cli/place.h"
#include "agent/core/diagnose/diagnose.h"
#include "agent/core/version.h"
#include "agent/host/collect.h"
#include "agent/host/surroundings.h"
#include "config/load.h"
#include "exporters/json.h"
#include "exporters/words.h"

namespace rdmadiag::cli {
namespace {

// A person waits for a stuck device longer than a scrape does.
constexpr auto kDeadline = std::chrono::seconds(3);

core::AgentStatus local_status(const core::HostSnapshot& host, const core::HostSnapshot* before,
                               const core::Expectations& expect,
                               const std::optional<ProcessLimits>& limits) {
  core::AgentStatus status;
  status.version = core::kVersion;
  status.revision = core::kRevision;
  core::Evidence evidence;
  evidence.now = &host;
  evidence.before = before;
  evidence.expect = expect;
  evidence.limits = limits;
  status.diagnosis = core::diagnose(evidence);
  for (const core::DeviceEntry& entry : host.devices) {
    if (entry.snapshot == nullptr || !expect.rate_bits_per_second) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      status.ports.push_back(
          {entry.name, port.number, expect.rate_bits_per_second, std::nullopt, std::nullopt});
    }
  }
  return status;
}

class LocalObserver final : public Observer {
 public:
  LocalObserver(const host::Roots& roots, const host::CollectOptions& options,
                host::CollectorParts parts, core::Expectations expect,
                std::optional<ProcessLimits> limits, bool compare_with_first)
      : collector_(roots, options, std::move(parts)),
        expect_(std::move(expect)),
        limits_(limits),
        compare_with_first_(compare_with_first) {}

  core::Result<Observation> observe() override {
    Observation out;
    out.host = collector_.collect();
    out.agent = local_status(*out.host, last_.get(), expect_, limits_);
    if (!last_ || !compare_with_first_) last_ = out.host;
    return out;
  }

 private:
  host::Collector collector_;
  core::Expectations expect_;
  std::optional<ProcessLimits> limits_;
  bool compare_with_first_;
  std::shared_ptr<const core::HostSnapshot> last_;
};

class AgentObserver final : public Observer {
 public:
  explicit AgentObserver(AgentClient agent) : agent_(std::move(agent)) {}

  core::Result<Observation> observe() override {
    const auto body = agent_.get("/api/v1/snapshot");
    if (!body) return tl::make_unexpected(body.error());
    auto parsed = exporters::parse_json(*body);
    if (!parsed) return core::fail(agent_.name() + ": " + parsed.error().message());
    return Observation{std::make_shared<core::HostSnapshot>(std::move(parsed->host)),
                       std::move(parsed->agent)};
  }

 private:
  AgentClient agent_;
};

}  // namespace

host::CollectOptions collect_options(const Context& context, const ObserverOptions& options) {
  host::CollectOptions collect;
  if (!context.options.include.empty()) collect.include = context.options.include;
  collect.exclude = context.options.exclude;
  collect.deadline = kDeadline;
  collect.min_interval = {};
  collect.queue_pairs = options.queue_pairs;
  return collect;
}

namespace {

// What the operator expects of this host; nothing where there is no configuration to ask.
core::Expectations host_expectations(const World& world) {
  const auto loaded = config::load_config(world.config_file);
  return loaded ? loaded->expect : core::Expectations{};
}

}  // namespace

core::Result<std::unique_ptr<Observer>> open_observer(const Context& context,
                                                      const ObserverOptions& options) {
  if (!options.agent.address.empty()) {
    return std::make_unique<AgentObserver>(AgentClient(context.world, options.agent));
  }
  const host::CollectOptions collect = collect_options(context, options);
  if (const core::Status good = host::check_options(collect); !good) {
    return tl::make_unexpected(good.error());
  }
  auto place = find_place(context);
  if (!place) return tl::make_unexpected(place.error());
  host::CollectorParts parts;
  parts.clock = context.world.clock;
  parts.files = place->files;
  parts.netlink = place->netlink;
  if (place->is_live && context.world.make_sources)
    parts.more_sources = context.world.make_sources();
  else if (place->addresses)
    parts.more_sources = {host::surroundings_source(place->addresses)};
  const core::Expectations expect =
      place->is_live ? host_expectations(context.world) : core::Expectations{};
  std::optional<ProcessLimits> limits;
  if (place->is_live) limits = context.world.limits;
  return std::make_unique<LocalObserver>(place->roots, collect, std::move(parts), expect, limits,
                                         options.compare_with_first);
}

std::optional<Observation> observe_once(const Context& context, const ObserverOptions& options) {
  auto observer = open_observer(context, options);
  auto seen = observer ? (*observer)->observe() : tl::make_unexpected(observer.error());
  if (seen) return std::move(*seen);
  report_failure(context, seen.error());
  return std::nullopt;
}

int tell_devices(const Context& context, const core::HostSnapshot& host) {
  const bool any = std::any_of(host.devices.begin(), host.devices.end(),
                               [](const core::DeviceEntry& entry) { return entry.snapshot; });
  if (any) return kExitFine;
  const bool filtered = !context.options.include.empty() || !context.options.exclude.empty();
  std::string why = exporters::no_device_text(host);
  if (!host.devices.empty())
    why = "no RDMA device answers";
  else if (filtered && host.issues.empty())
    why += " passes --device.include and --device.exclude";
  return report_failure(context, {.code = {}, .what = why});
}

int report_failure(const Context& context, const core::Error& error) {
  context.err() << "rdmadiag: " << exporters::terminal_text(error.message(), context.world.style)
                << "\n";
  return kExitUnknown;
}

}  // namespace rdmadiag::cli
