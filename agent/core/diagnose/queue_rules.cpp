// Queue pairs in error states, and objects close to the device's limits.
#include <fmt/format.h>

#include <map>

#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

constexpr int kQpStateSqe = 5;
constexpr int kQpStateErr = 6;
constexpr double kNearLimit = 0.9;

void check_queue_pairs(const DeviceView& device, Report& report) {
  constexpr std::string_view kRule = "queue-pair-error";
  if (!device.now->queue_pairs) {
    report.could_not_tell(kRule, device.subject(), "queue pairs were not read");
    return;
  }
  std::map<std::string, int> by_owner;
  int broken = 0;
  for (const QueuePair& qp : *device.now->queue_pairs) {
    if (qp.state != kQpStateErr && qp.state != kQpStateSqe) continue;
    ++broken;
    const std::string pid = qp.pid ? fmt::format(" (pid {})", *qp.pid) : "";
    ++by_owner[(qp.owner.empty() ? "unknown owner" : qp.owner) + pid];
  }
  if (broken == 0) return;
  std::string found = fmt::format("{} of {}", broken, device.now->queue_pairs->size());
  for (const auto& [owner, count] : by_owner) found += fmt::format(", {} of {}", count, owner);
  report.add(kRule, device.subject(), std::move(found), "none in ERR or SQE");
}

void check_resources(const DeviceView& device, Report& report) {
  bool any_limit = false;
  for (const ResourceCount& resource : device.now->resources) {
    if (!resource.max || *resource.max == 0) continue;
    any_limit = true;
    const double share = static_cast<double>(resource.current) / static_cast<double>(*resource.max);
    if (share < kNearLimit) continue;
    report.add("queue-resources", device.subject(),
               fmt::format("{} {} of {} ({} %)", resource.current, resource.object, *resource.max,
                           number_text(share * 100)),
               "below 90 %");
  }
  if (!any_limit) {
    report.could_not_tell("queue-resources", device.subject(), "the kernel tells no limits");
  }
}

void check_growth(const Evidence& evidence, const DeviceView& device, Report& report) {
  constexpr std::string_view kRule = "queue-growth";
  if (evidence.growths == nullptr) {
    report.could_not_tell(kRule, device.subject(), "growth shows only to an agent that runs");
    return;
  }
  for (const auto& [key, growth] : *evidence.growths) {
    if (key.first != device.now->name) continue;
    report.add(kRule, device.subject(),
               fmt::format("{} grew from {} to {} in {} min, at every one of {} looks", key.second,
                           growth.from, growth.to, number_text(growth.seconds / 60), growth.looks),
               "a standstill or a fall in ten minutes");
  }
}

}  // namespace

void check_queues(const Comparison& seen, Report& report) {
  for (const DeviceView& device : seen.devices()) {
    check_queue_pairs(device, report);
    check_resources(device, report);
    check_growth(seen.evidence, device, report);
  }
}

}  // namespace rdmadiag::core
