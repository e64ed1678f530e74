#include "agent/cli/doctor_checks.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "agent/core/diagnose/missing.h"

namespace rdmadiag::cli {
namespace {

using core::kMemlockWanted;

std::string words_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

Check check_class(const host::Readiness& readiness) {
  Check check{"rdma devices", Outcome::kGood, "", ""};
  if (readiness.class_error == ENOENT) {
    check.outcome = Outcome::kCritical;
    check.found = "the kernel has no RDMA stack loaded: sys/class/infiniband is missing";
    check.mend = "modprobe ib_core, and the driver of the NIC (mlx5_ib, bnxt_re, irdma or another)";
  } else if (readiness.class_error != 0) {
    check.outcome = Outcome::kUnknown;
    check.found = "sys/class/infiniband cannot be listed: " + words_of(readiness.class_error);
  } else if (readiness.devices.empty() && readiness.dangling.empty()) {
    check.outcome = Outcome::kCritical;
    check.found = "no RDMA device";
    check.mend =
        "rdma link show; modprobe the RDMA driver of the NIC (mlx5_ib, bnxt_re, irdma or another)";
  } else {
    check.found = std::to_string(readiness.devices.size() + readiness.dangling.size()) + " found";
  }
  return check;
}

Check check_node(const host::UverbsNode& node, const DoctorFacts& facts) {
  Check check{"uverbs " + node.device, Outcome::kGood, node.path + " opens", ""};
  const int class_error = facts.readiness.verbs_class_error;
  const bool is_elsewhere = !facts.limits;
  if (node.path.empty() && class_error == ENOENT && is_elsewhere) {
    check.outcome = Outcome::kUnknown;
    check.found =
        "sys/class/infiniband_verbs is not among what is looked at, or ib_uverbs is not loaded";
  } else if (node.path.empty() && class_error != 0 && class_error != ENOENT) {
    check.outcome = Outcome::kUnknown;
    check.found = "sys/class/infiniband_verbs cannot be listed: " + words_of(class_error);
  } else if (node.path.empty()) {
    check.outcome = Outcome::kCritical;
    check.found = "the kernel offers no uverbs device for it";
    check.mend = "modprobe ib_uverbs";
  } else if (node.open_error == ENOENT) {
    check.outcome = Outcome::kCritical;
    check.found = node.path + " is missing";
    check.mend =
        "udevadm trigger --subsystem-match=infiniband_verbs; in a container, pass /dev/infiniband "
        "in";
  } else if (node.open_error == EACCES || node.open_error == EPERM) {
    check.outcome = Outcome::kCritical;
    check.found = node.path + " may not be opened: " + words_of(node.open_error);
    check.mend = "chmod 0666 " + node.path +
                 ", and for good the udev rule of rdma-core; in a container, allow the device";
  } else if (node.open_error != 0) {
    check.outcome = Outcome::kCritical;
    check.found = node.path + " does not open: " + words_of(node.open_error);
    check.mend = "dmesg | grep -i -e infiniband -e uverbs";
  }
  return check;
}

Check check_memlock(const std::optional<ProcessLimits>& limits) {
  Check check{"locked memory", Outcome::kGood, "unlimited", ""};
  if (!limits) {
    check.outcome = Outcome::kUnknown;
    check.found = "the limit is not part of what is looked at";
    return check;
  }
  if (!limits->memlock_bytes) return check;
  check.found = std::to_string(*limits->memlock_bytes / 1024) + " KiB may be locked";
  if (limits->ignores_memlock) {
    check.found += ", which CAP_IPC_LOCK makes void";
  } else if (*limits->memlock_bytes < kMemlockWanted) {
    check.outcome = Outcome::kWarning;
    check.found += ", probes want " + std::to_string(kMemlockWanted / 1024) + " KiB";
    check.mend =
        "ulimit -l unlimited; for a service LimitMEMLOCK=infinity, for a container --ulimit "
        "memlock=-1";
  }
  return check;
}

Check check_modules(const host::Readiness& readiness) {
  Check check{"kernel modules", Outcome::kGood, "", ""};
  if (!readiness.modules_known) {
    check.outcome = Outcome::kUnknown;
    check.found = "sys/module cannot be listed";
    return check;
  }
  std::string missing;
  for (const std::string& wanted : host::wanted_modules()) {
    const auto& loaded = readiness.modules;
    if (std::find(loaded.begin(), loaded.end(), wanted) == loaded.end()) missing += " " + wanted;
  }
  if (missing.empty()) {
    check.found = "all loaded";
  } else {
    check.outcome = Outcome::kWarning;
    check.found = "not loaded:" + missing;
    check.mend = "modprobe -a" + missing;
  }
  return check;
}

// What to do about a value that is there and cannot be read.
std::string mend_for(const core::ReadIssue& issue) {
  switch (issue.reason) {
    case core::IssueReason::kEperm:
      return "ls -l " + issue.path +
             " shows who may read it; as root, or in a container with the host's /sys mounted, it "
             "can be read";
    case core::IssueReason::kParse:
      return "what it holds is no value: rdmadiag capture host.tar.gz, for the driver's makers";
    default: return "dmesg | grep -i -e infiniband -e rdma: the driver or the device fails";
  }
}

Check check_values(const std::string& device, const std::vector<core::ReadIssue>& issues) {
  constexpr std::size_t kNamed = 3;
  Check check{"values " + device, Outcome::kGood, "", ""};
  std::size_t failed = 0;
  for (const core::ReadIssue& issue : issues) {
    if (core::says_not_offered(issue)) continue;
    if (failed == 0) check.mend = mend_for(issue);
    if (++failed > kNamed) continue;
    check.found += (failed == 1 ? ": " : ", ") + issue.path + " (" +
                   std::string(core::reason_name(issue.reason)) + ")";
  }
  if (failed == 0) {
    check.found = "all can be read that the driver offers";
    return check;
  }
  check.outcome = Outcome::kWarning;
  check.found.insert(0, std::to_string(failed) + " cannot be read");
  if (failed > kNamed) {
    check.found +=
        " and " + std::to_string(failed - kNamed) + " more: rdmadiag devices --json has all";
  }
  return check;
}

Check check_netns(const std::optional<bool>& shared) {
  Check check{"network namespaces", Outcome::kGood, "", ""};
  if (!shared) {
    check.outcome = Outcome::kUnknown;
    check.found = "RDMA netlink does not say whether devices are shared between them";
    check.mend = "rdma system show";
  } else if (*shared) {
    check.found = "devices are seen in every network namespace";
  } else {
    check.found = "each device belongs to one network namespace: in others it is not seen";
  }
  return check;
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kGood: return "good";
    case Outcome::kWarning: return "warning";
    case Outcome::kCritical: return "critical";
    case Outcome::kUnknown: return "unknown";
  }
  return "";
}

std::vector<Check> run_checks(const DoctorFacts& facts) {
  std::vector<Check> checks = {check_class(facts.readiness)};
  for (const std::string& device : facts.readiness.dangling) {
    checks.push_back(
        {"sysfs link " + device, Outcome::kCritical,
         "it leads nowhere: only a part of sysfs is mounted here",
         "mount the whole of /sys into the container (and give it with --path.sysfs)"});
  }
  for (const host::UverbsNode& node : facts.readiness.devices)
    checks.push_back(check_node(node, facts));
  for (const std::string& device : facts.stuck)
    checks.push_back({"values " + device, Outcome::kCritical,
                      "the device does not answer: reading it did not return",
                      "dmesg | grep -i -e infiniband -e rdma: the driver or the device hangs"});
  for (const auto& [device, issues] : facts.issues) checks.push_back(check_values(device, issues));
  checks.push_back(check_memlock(facts.limits));
  checks.push_back(check_modules(facts.readiness));
  checks.push_back(check_netns(facts.netns_shared));
  return checks;
}

int exit_code(const std::vector<Check>& checks) {
  const auto any = [&](Outcome outcome) {
    return std::any_of(checks.begin(), checks.end(),
                       [&](const Check& check) { return check.outcome == outcome; });
  };
  if (any(Outcome::kCritical)) return kExitCritical;
  if (any(Outcome::kWarning)) return kExitWarning;
  return any(Outcome::kUnknown) ? kExitUnknown : kExitFine;
}

}  // namespace rdmadiag::cli
