#include "agent/host/devlink.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <utility>

#include "agent/host/devlink_handles.h"
#include "agent/host/devlink_messages.h"
#include "agent/host/netlink_issue.h"
#include "agent/host/vnic_debugfs.h"

namespace rdmadiag::host {
namespace {

constexpr const char* kVnic = "vnic";
// A version changes with a flash or a reset.
constexpr std::chrono::minutes kInfoInterval{5};

core::Result<NetlinkReply> at_least_one(core::Result<NetlinkReply> reply, const char* question) {
  if (reply && reply->size() == 0) return core::fail(std::string(question) + ": no reply");
  return reply;
}

std::vector<core::HealthReporter> list_reporters(GenericNetlink& devlink) {
  std::vector<core::HealthReporter> reporters;
  const auto reply = devlink.request(kDevlinkHealthReporterGet, {}, true);
  for (std::size_t i = 0; reply && i < reply->size(); ++i) {
    const auto message = decode_generic(reply->payload(i));
    if (!message) continue;
    if (auto reporter = decode_health_reporter(message->attributes))
      reporters.push_back(*std::move(reporter));
  }
  return reporters;
}

class DevlinkSource final : public DeviceSource {
 public:
  DevlinkSource(std::shared_ptr<DevlinkReporters> reporters, const DeviceContext& context)
      : reporters_(std::move(reporters)), context_(context) {}

  [[nodiscard]] core::Source source() const override { return core::Source::kDevlink; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    const core::SteadyTime now = context_.session->now();
    reporters_->list_if_due(now);
    find_handles(device);
    bool good = true;
    bool has_vnic = false;
    for (const core::HealthReporter& known : reporters_->of(handles_)) {
      good = read_reporter(known, device, issues) && good;
      if (known.name != kVnic) continue;
      has_vnic = true;
      diagnose(known, device, issues);
    }
    if (!has_vnic) read_vnic_debugfs(context_, device, issues);
    read_versions(now, issues);
    device.firmware_versions = versions_;
    return good;
  }

  void refresh() override {
    refused_.clear();
    lists_seen_.reset();
  }

 private:
  void find_handles(const core::DeviceSnapshot& device) {
    const std::uint64_t lists = reporters_->lists();
    if (lists_seen_ == lists) return;
    lists_seen_ = lists;
    handles_ = devlink_handles(context_, device, reporters_->handles());
  }

  bool read_reporter(const core::HealthReporter& known, core::DeviceSnapshot& device,
                     IssueLog& issues) {
    const auto reply = at_least_one(
        reporters_->netlink()->request(kDevlinkHealthReporterGet, reporter_request(known)),
        "HEALTH_REPORTER_GET");
    auto reporter =
        reply.and_then([](const NetlinkReply& r) { return decode_generic(r.payload(0)); })
            .and_then([](const GenericMessage& message) {
              return decode_health_reporter(message.attributes);
            });
    if (!reporter) {
      note(issues, known, "HEALTH_REPORTER_GET", reporter.error());
      return false;
    }
    device.health.push_back(*std::move(reporter));
    return true;
  }

  // Needs CAP_NET_ADMIN; one firmware command.
  void diagnose(const core::HealthReporter& vnic, core::DeviceSnapshot& device, IssueLog& issues) {
    const auto refused = refused_.find(vnic.handle);
    if (refused != refused_.end()) {
      note(issues, vnic, "DIAGNOSE", refused->second, Counted::kNo);
      return;
    }
    const auto reply =
        reporters_->netlink()->request(kDevlinkHealthReporterDiagnose, reporter_request(vnic));
    DiagnosisReader reader;
    core::Status status;
    if (!reply) status = tl::make_unexpected(reply.error());
    for (std::size_t i = 0; status && i < reply->size(); ++i) {
      const auto message = decode_generic(reply->payload(i));
      status = message ? reader.feed(message->attributes) : tl::make_unexpected(message.error());
    }
    if (!status) {
      const bool refusal = is_refusal(status.error());
      if (refusal) refused_.emplace(vnic.handle, status.error());
      note(issues, vnic, "DIAGNOSE", status.error(), refusal ? Counted::kNo : Counted::kYes);
      return;
    }
    for (const DiagnosedValue& value : reader.take()) add_counter(value, device);
  }

  void add_counter(const DiagnosedValue& value, core::DeviceSnapshot& device) const {
    constexpr auto kSource = core::CounterSource::kDeviceHwCounters;
    const auto* spec = core::find_counter(kSource, context_.driver, value.name);
    device.counters.push_back(
        {kSource, spec, spec == nullptr ? "vnic " + value.name : std::string(), value.value});
  }

  void read_versions(core::SteadyTime now, IssueLog& issues) {
    if (versions_read_ && now - *versions_read_ < kInfoInterval) return;
    versions_read_ = now;
    versions_.clear();
    for (const std::string& handle : handles_) {
      const std::size_t slash = handle.find('/');
      const auto request =
          PayloadWriter().text(1, handle.substr(0, slash)).text(2, handle.substr(slash + 1));
      const auto info =
          at_least_one(reporters_->netlink()->request(kDevlinkInfoGet, request), "INFO_GET")
              .and_then([](const NetlinkReply& r) { return decode_generic(r.payload(0)); })
              .and_then([](const GenericMessage& m) { return decode_devlink_info(m.attributes); });
      if (info) {
        versions_.insert(versions_.end(), info->versions.begin(), info->versions.end());
      } else if (!is_absence(info.error())) {
        core::HealthReporter device;
        device.handle = handle;
        note(issues, device, "INFO_GET", info.error());
      }
    }
  }

  // No devlink on that device, or in that kernel.
  static bool is_absence(const core::Error& error) {
    const int number = error.code.value();
    return number == ENODEV || number == ENOENT || number == EOPNOTSUPP;
  }

  static void note(IssueLog& issues, const core::HealthReporter& reporter, const char* question,
                   const core::Error& error, Counted counted = Counted::kYes) {
    std::string path = "devlink " + reporter.handle + ": " + question;
    if (!reporter.name.empty()) path += " " + reporter.name;
    note_unanswered(issues, core::Source::kDevlink, std::move(path), error, counted);
  }

  const std::shared_ptr<DevlinkReporters> reporters_;
  const DeviceContext context_;
  std::set<std::string> handles_;
  std::optional<std::uint64_t> lists_seen_;  // when handles_ was made; empty: make it anew
  std::map<std::string, core::Error> refused_;
  std::optional<core::SteadyTime> versions_read_;
  std::vector<core::FirmwareVersion> versions_;
};

}  // namespace

DevlinkReporters::DevlinkReporters(std::shared_ptr<GenericNetlink> devlink, Launch launch)
    : devlink_(std::move(devlink)), launch_(std::move(launch)) {}

void DevlinkReporters::list_if_due(core::SteadyTime now) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->busy || (shared_->started && now - *shared_->started < kInterval)) return;
    shared_->busy = true;
    shared_->started = now;
  }
  launch_([shared = shared_, devlink = devlink_] {
    auto reporters = list_reporters(*devlink);
    const std::lock_guard lock(shared->mutex);
    shared->reporters = std::move(reporters);
    ++shared->lists;
    shared->busy = false;
  });
}

std::vector<core::HealthReporter> DevlinkReporters::of(const std::set<std::string>& handles) const {
  std::vector<core::HealthReporter> found;
  const std::lock_guard lock(shared_->mutex);
  std::copy_if(shared_->reporters.begin(), shared_->reporters.end(), std::back_inserter(found),
               [&](const core::HealthReporter& r) { return handles.contains(r.handle); });
  return found;
}

std::set<std::string> DevlinkReporters::handles() const {
  std::set<std::string> all;
  const std::lock_guard lock(shared_->mutex);
  for (const core::HealthReporter& reporter : shared_->reporters) all.insert(reporter.handle);
  return all;
}

std::uint64_t DevlinkReporters::lists() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->lists;
}

std::shared_ptr<DevlinkReporters> make_devlink_reporters(Launch launch) {
  return std::make_shared<DevlinkReporters>(
      std::make_shared<GenericNetlink>(std::make_shared<NetlinkSocketPool>(NETLINK_GENERIC),
                                       "devlink"),
      std::move(launch));
}

DeviceSourceFactory devlink_source(std::shared_ptr<DevlinkReporters> reporters) {
  return [reporters = std::move(reporters)](const DeviceContext& context) {
    return std::make_unique<DevlinkSource>(reporters, context);
  };
}

}  // namespace rdmadiag::host
