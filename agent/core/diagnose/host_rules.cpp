// The host around the devices: what lets applications use them, and what costs them bandwidth.
#include <fmt/format.h>

#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

void check_memlock(const Comparison& seen, Report& report) {
  constexpr std::string_view kRule = "host-memlock";
  if (!seen.evidence.limits) {
    report.could_not_tell(kRule, Subject{}, "limits are those of a process on the host itself");
    return;
  }
  const ProcessLimits& limits = *seen.evidence.limits;
  if (!limits.memlock_bytes || limits.ignores_memlock || *limits.memlock_bytes >= kMemlockWanted)
    return;
  report.add(kRule, Subject{},
             fmt::format("this process may lock {} KiB of memory", *limits.memlock_bytes / 1024),
             fmt::format("unlimited; {} KiB at least, what probes want", kMemlockWanted / 1024));
}

void check_node(const DeviceView& device, Report& report) {
  constexpr std::string_view kRule = "host-uverbs";
  if (!device.now->node) {
    report.could_not_tell(kRule, device.subject(), "the device node was not looked at");
    return;
  }
  const DeviceNode& node = *device.now->node;
  if (node.path.empty()) {
    report.add(kRule, device.subject(), "the kernel offers no uverbs device for it",
               "a node in /dev/infiniband");
  } else if (node.open_error != 0) {
    report.add(kRule, device.subject(),
               fmt::format("{} does not open ({})", node.path,
                           reason_name(classify_errno(node.open_error))),
               "it opens");
  }
}

void check_interrupts(const DeviceView& device, Report& report) {
  constexpr std::string_view kRule = "host-irq-remote";
  if (!device.now->interrupts) {
    report.could_not_tell(kRule, device.subject(), "where its interrupts go cannot be read");
    return;
  }
  const Interrupts& interrupts = *device.now->interrupts;
  if (interrupts.remote * 2 <= interrupts.total) return;
  const auto& node = device.now->pcie.numa_node;
  report.add(kRule, device.subject(),
             fmt::format("{} of {} interrupts go to CPUs of other NUMA nodes", interrupts.remote,
                         interrupts.total),
             fmt::format("CPUs {}{}", device.now->pcie.local_cpus,
                         node ? fmt::format(" of node {}", *node) : ""));
}

void check_iommu(const DeviceView& device, Report& report) {
  constexpr std::string_view kRule = "host-iommu";
  const std::string& domain = device.now->pcie.iommu_domain;
  if (domain.empty()) {
    report.could_not_tell(kRule, device.subject(), "no IOMMU group, or a kernel before 5.11");
    return;
  }
  if (domain.starts_with("DMA")) {
    report.add(kRule, device.subject(), fmt::format("the IOMMU translates its DMA ({})", domain),
               "identity (iommu=pt), unless the host needs the isolation");
  }
}

// Only GPUs make transfers between devices that ACS would send the long way.
void check_peer_memory(const Comparison& seen, Report& report) {
  const auto& gpu = seen.evidence.now->gpu;
  if (!gpu) {
    for (const char* rule : {"host-peer-memory", "host-acs"})
      report.could_not_tell(rule, Subject{}, "the kernel's modules cannot be listed");
    return;
  }
  if (gpu->driver.empty()) return;
  if (gpu->peer_memory.empty()) {
    report.add("host-peer-memory", Subject{},
               fmt::format("GPU driver {} is loaded, nvidia_peermem is not", gpu->driver),
               "nvidia_peermem, or applications that share GPU memory by dma-buf");
  }
  for (const DeviceView& device : seen.devices()) {
    if (!device.now->pcie.acs_redirects) {
      report.could_not_tell("host-acs", device.subject(),
                            "the bridges' configuration cannot be read (CAP_SYS_ADMIN)");
    } else if (*device.now->pcie.acs_redirects) {
      report.add("host-acs", device.subject(),
                 "a PCIe bridge above it redirects transfers between devices to the root",
                 "ACS redirection off beside GPUs, unless the host runs virtual machines");
    }
  }
}

}  // namespace

void check_access(const Comparison& seen, Report& report) {
  check_memlock(seen, report);
  for (const DeviceView& device : seen.devices()) {
    check_node(device, report);
    if (device.now->pcie.address.empty() || device.now->pcie.is_vf) continue;
    check_interrupts(device, report);
    check_iommu(device, report);
  }
  check_peer_memory(seen, report);
}

}  // namespace rdmadiag::core
