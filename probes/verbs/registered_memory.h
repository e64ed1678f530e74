// Memory that a device may use, and what gives it up again. Zeroed, on whole pages of its own, so
// that opening it to a peer opens nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "agent/core/result.h"
#include "probes/verbs/handles.h"

namespace rdmadiag::probes {

class RegisteredMemory {
 public:
  RegisteredMemory() = default;
  // `access`: IBV_ACCESS_…; the device itself may always write.
  [[nodiscard]] static core::Result<RegisteredMemory> create(ibv_pd* domain, std::size_t bytes,
                                                             int access = 0);

  [[nodiscard]] std::byte* at(std::size_t offset) const { return memory_.get() + offset; }
  [[nodiscard]] std::uint64_t address() const {
    return reinterpret_cast<std::uintptr_t>(memory_.get());
  }
  [[nodiscard]] std::uint32_t remote_key() const { return region_->rkey; }
  [[nodiscard]] ibv_sge segment(std::size_t offset, std::size_t bytes) const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  MemoryRegionHandle region_;
};

}  // namespace rdmadiag::probes
