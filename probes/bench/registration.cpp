#include "probes/bench/registration.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "probes/verbs/handles.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMost = 100'000;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

core::Result<RegistrationFigures> measure_registration(const Device& device, std::uint32_t size,
                                                       const BenchLimit& limit,
                                                       const core::Clock& clock) {
  const ProtectionDomain domain(ibv_alloc_pd(device.context()));
  if (!domain) return core::errno_error(errno, "ibv_alloc_pd");
  const std::size_t bytes = (size + kPage - 1) / kPage * kPage;
  const std::unique_ptr<void, Free> memory(std::aligned_alloc(kPage, bytes));
  if (!memory) return core::errno_error(ENOMEM, "allocating " + std::to_string(bytes) + " bytes");
  std::memset(memory.get(), 1, bytes);
  std::vector<std::chrono::nanoseconds> registering;
  std::vector<std::chrono::nanoseconds> releasing;
  const core::SteadyTime begin = clock.steady();
  core::SteadyTime now = begin;
  const int access = IBV_ACCESS_LOCAL_WRITE;
  while (registering.size() < kMost) {
    const core::SteadyTime before = clock.steady();
    ibv_mr* region = ibv_reg_mr(domain.get(), memory.get(), size, access);
    const int error = errno;
    const core::SteadyTime between = clock.steady();
    if (region == nullptr) {
      return core::errno_error(error, "ibv_reg_mr of " + std::to_string(size) + " bytes");
    }
    if (const int failed = ibv_dereg_mr(region); failed != 0) {
      return core::errno_error(failed, "ibv_dereg_mr");
    }
    now = clock.steady();
    registering.push_back(between - before);
    releasing.push_back(now - between);
    if (limit.iterations != 0 && registering.size() >= limit.iterations) break;
    if (limit.duration.count() != 0 && now - begin >= limit.duration) break;
  }
  return RegistrationFigures{.size = size,
                             .registering = latency_figures(std::move(registering), 1),
                             .releasing = latency_figures(std::move(releasing), 1)};
}

}  // namespace rdmadiag::probes
