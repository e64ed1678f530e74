// The host around the devices, as the diagnosis judges it.
#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

namespace {

Diagnosis with_limits(const std::optional<ProcessLimits>& limits) {
  TwoLooks looks;
  static_cast<void>(looks.diagnose());
  return diagnose({.now = &looks.host_now, .limits = limits});
}

Diagnosis beside_gpu(const std::optional<GpuSupport>& gpu, std::optional<bool> redirects) {
  TwoLooks looks;
  looks.now.pcie.acs_redirects = redirects;
  static_cast<void>(looks.diagnose());
  looks.host_now.gpu = gpu;
  return diagnose({.now = &looks.host_now});
}

std::string found(TwoLooks& looks, std::string_view rule) {
  const Diagnosis diagnosis = looks.diagnose();
  const Finding* finding = find(diagnosis, rule);
  return finding == nullptr ? "" : finding->found;
}

}  // namespace

TEST_CASE("locked memory is judged by the process that looks") {
  constexpr std::string_view kRule = "host-memlock";
  CHECK(find(with_limits(ProcessLimits{}), kRule) == nullptr);
  CHECK(find(with_limits(ProcessLimits{.memlock_bytes = kMemlockWanted}), kRule) == nullptr);
  const Diagnosis little = with_limits(ProcessLimits{.memlock_bytes = kMemlockWanted - 1});
  REQUIRE(find(little, kRule) != nullptr);
  CHECK(find(little, kRule)->found == "this process may lock 16383 KiB of memory");
  CHECK(find(with_limits(ProcessLimits{.memlock_bytes = 65536, .ignores_memlock = true}), kRule) ==
        nullptr);
  CHECK(find_unknown(with_limits(std::nullopt), kRule) != nullptr);
}

TEST_CASE("a device node must be there and open") {
  TwoLooks looks;
  CHECK(find_unknown(looks.diagnose(), "host-uverbs") != nullptr);
  looks.now.node = {.path = "/dev/infiniband/uverbs0"};
  CHECK(found(looks, "host-uverbs").empty());
  CHECK(find_unknown(looks.diagnose(), "host-uverbs") == nullptr);
  looks.now.node->open_error = EACCES;
  CHECK(found(looks, "host-uverbs") == "/dev/infiniband/uverbs0 does not open (eperm)");
  looks.now.node = DeviceNode{};
  CHECK(found(looks, "host-uverbs") == "the kernel offers no uverbs device for it");
}

TEST_CASE("more than half of the interrupts must be far away") {
  TwoLooks looks;
  CHECK(find_unknown(looks.diagnose(), "host-irq-remote") != nullptr);
  looks.now.interrupts = {.total = 64, .remote = 32};
  CHECK(found(looks, "host-irq-remote").empty());
  looks.now.interrupts->remote = 33;
  CHECK(found(looks, "host-irq-remote") == "33 of 64 interrupts go to CPUs of other NUMA nodes");
  CHECK(find(looks.diagnose(), "host-irq-remote")->expected == "CPUs 0-31 of node 0");
}

TEST_CASE("a DMA domain is told, identity is not") {
  TwoLooks looks;
  CHECK(find_unknown(looks.diagnose(), "host-iommu") != nullptr);
  looks.now.pcie.iommu_domain = "identity";
  CHECK(found(looks, "host-iommu").empty());
  looks.now.pcie.iommu_domain = "DMA-FQ";
  CHECK(found(looks, "host-iommu") == "the IOMMU translates its DMA (DMA-FQ)");

  TwoLooks software;  // no PCI device: nothing to ask
  software.now.pcie.address.clear();
  CHECK(find_unknown(software.diagnose(), "host-iommu") == nullptr);
}

TEST_CASE("peer memory and ACS matter beside GPUs only") {
  const Diagnosis no_gpu = beside_gpu(GpuSupport{}, true);
  CHECK(find(no_gpu, "host-acs") == nullptr);
  CHECK(find(no_gpu, "host-peer-memory") == nullptr);

  const Diagnosis bare = beside_gpu(GpuSupport{.driver = "nvidia", .peer_memory = ""}, true);
  REQUIRE(find(bare, "host-peer-memory") != nullptr);
  CHECK(find(bare, "host-peer-memory")->found ==
        "GPU driver nvidia is loaded, nvidia_peermem is not");
  REQUIRE(find(bare, "host-acs") != nullptr);
  CHECK(find(bare, "host-acs")->subject.device == "mlx5_0");

  const GpuSupport both{.driver = "nvidia", .peer_memory = "nvidia_peermem"};
  const Diagnosis good = beside_gpu(both, false);
  CHECK(find(good, "host-peer-memory") == nullptr);
  CHECK(find(good, "host-acs") == nullptr);
  CHECK(find_unknown(beside_gpu(both, std::nullopt), "host-acs") != nullptr);
  CHECK(find_unknown(beside_gpu(std::nullopt, true), "host-peer-memory") != nullptr);
}
