// A completion queue with its event channel. Stamps completions with the device's counter where the
// device has one; polls the plain way otherwise, since extended polling was broken in several
// providers of older rdma-core. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "agent/core/result.h"
#include "probes/verbs/device.h"
#include "probes/verbs/handles.h"

namespace rdmadiag::probes {

struct WorkCompletion {
  std::uint64_t work_id = 0;
  int status =
      0;  // ibv_wc_status; of a failed one only work_id, qpn and vendor_error mean anything
  std::uint32_t vendor_error = 0;
  std::uint32_t qpn = 0;
  std::uint32_t bytes = 0;
  std::uint32_t source_qpn = 0;
  std::uint16_t source_lid = 0;
  std::optional<std::uint64_t> device_ticks;

  [[nodiscard]] bool success() const { return status == IBV_WC_SUCCESS; }
};

class CompletionQueue {
 public:
  [[nodiscard]] static core::Result<CompletionQueue> create(const Device& device, int entries);

  [[nodiscard]] ibv_cq* get() const { return queue_.get(); }
  // Readable after arm() once something completes.
  [[nodiscard]] int event_fd() const { return channel_->fd; }
  [[nodiscard]] bool has_device_time() const { return extended_ != nullptr; }

  // Fills `out` from its front; how many.
  [[nodiscard]] core::Result<std::size_t> poll(std::span<WorkCompletion> out);
  // Takes waiting events off the channel and asks for the next one. Poll once more afterwards: what
  // completed before the request raises no event.
  [[nodiscard]] core::Status arm();

 private:
  CompletionQueue() = default;
  [[nodiscard]] core::Result<std::size_t> poll_plain(std::span<WorkCompletion> out);
  [[nodiscard]] core::Result<std::size_t> poll_extended(std::span<WorkCompletion> out);

  CompletionChannel channel_;
  CompletionQueueHandle queue_;
  ibv_cq_ex* extended_ = nullptr;  // the same queue
};

}  // namespace rdmadiag::probes
