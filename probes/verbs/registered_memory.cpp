#include "probes/verbs/registered_memory.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

core::Result<RegisteredMemory> RegisteredMemory::create(ibv_pd* domain, std::size_t bytes,
                                                        int access) {
  RegisteredMemory memory;
  bytes = (bytes + kPage - 1) / kPage * kPage;
  memory.memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, bytes)));
  if (!memory.memory_) return core::errno_error(ENOMEM, "allocating buffers");
  std::memset(memory.memory_.get(), 0, bytes);
  memory.region_.reset(
      ibv_reg_mr(domain, memory.memory_.get(), bytes, access | int{IBV_ACCESS_LOCAL_WRITE}));
  if (!memory.region_) {
    const int error = errno;
    return core::errno_error(error, "ibv_reg_mr of " + std::to_string(bytes / 1024) + " KiB" +
                                        (error == ENOMEM ? " (is RLIMIT_MEMLOCK too low?)" : ""));
  }
  return memory;
}

ibv_sge RegisteredMemory::segment(std::size_t offset, std::size_t bytes) const {
  return {.addr = address() + offset,
          .length = static_cast<std::uint32_t>(bytes),
          .lkey = region_->lkey};
}

}  // namespace rdmadiag::probes
