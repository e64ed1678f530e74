#include "probes/verbs/completion_queue.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kBatch = 32;

core::Status make_non_blocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    return core::errno_error(errno, "making a completion channel non-blocking");
  }
  return {};
}

ibv_cq_ex* create_extended(ibv_context* context, int entries, ibv_comp_channel* channel) {
  ibv_cq_init_attr_ex attributes{};
  attributes.cqe = static_cast<std::uint32_t>(entries);
  attributes.channel = channel;
  attributes.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_SRC_QP |
                        IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
  return ibv_create_cq_ex(context, &attributes);
}

WorkCompletion from_plain(const ibv_wc& wc) {
  return {.work_id = wc.wr_id,
          .status = wc.status,
          .vendor_error = wc.vendor_err,
          .qpn = wc.qp_num,
          .bytes = wc.byte_len,
          .source_qpn = wc.src_qp,
          .source_lid = wc.slid,
          .device_ticks = {}};
}

WorkCompletion from_extended(ibv_cq_ex* queue) {
  WorkCompletion completion{.work_id = queue->wr_id,
                            .status = queue->status,
                            .qpn = ibv_wc_read_qp_num(queue),
                            .device_ticks = {}};
  if (!completion.success()) {
    completion.vendor_error = ibv_wc_read_vendor_err(queue);
    return completion;
  }
  completion.bytes = ibv_wc_read_byte_len(queue);
  completion.source_qpn = ibv_wc_read_src_qp(queue);
  completion.source_lid = static_cast<std::uint16_t>(ibv_wc_read_slid(queue));
  completion.device_ticks = ibv_wc_read_completion_ts(queue);
  return completion;
}

}  // namespace

core::Result<CompletionQueue> CompletionQueue::create(const Device& device, int entries) {
  CompletionQueue queue;
  queue.channel_.reset(ibv_create_comp_channel(device.context()));
  if (!queue.channel_) return core::errno_error(errno, "ibv_create_comp_channel");
  if (auto status = make_non_blocking(queue.channel_->fd); !status) {
    return tl::make_unexpected(status.error());
  }
  if (device.clock().usable()) {
    queue.extended_ = create_extended(device.context(), entries, queue.channel_.get());
    if (queue.extended_ != nullptr) queue.queue_.reset(ibv_cq_ex_to_cq(queue.extended_));
  }
  if (!queue.queue_) {
    queue.queue_.reset(ibv_create_cq(device.context(), entries, nullptr, queue.channel_.get(), 0));
    if (!queue.queue_) return core::errno_error(errno, "ibv_create_cq");
  }
  if (auto status = queue.arm(); !status) return tl::make_unexpected(status.error());
  return queue;
}

core::Status CompletionQueue::arm() {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  while (ibv_get_cq_event(channel_.get(), &queue, &context) == 0) ibv_ack_cq_events(queue, 1);
  if (const int error = ibv_req_notify_cq(queue_.get(), 0); error != 0) {
    return core::errno_error(error, "ibv_req_notify_cq");
  }
  return {};
}

core::Result<std::size_t> CompletionQueue::poll(std::span<WorkCompletion> out) {
  return extended_ != nullptr ? poll_extended(out) : poll_plain(out);
}

core::Result<std::size_t> CompletionQueue::poll_plain(std::span<WorkCompletion> out) {
  std::array<ibv_wc, kBatch> batch{};
  const int wanted = static_cast<int>(std::min(out.size(), batch.size()));
  const int count = ibv_poll_cq(queue_.get(), wanted, batch.data());
  if (count < 0) return core::errno_error(EIO, "ibv_poll_cq");
  std::transform(batch.begin(), batch.begin() + count, out.begin(), from_plain);
  return static_cast<std::size_t>(count);
}

core::Result<std::size_t> CompletionQueue::poll_extended(std::span<WorkCompletion> out) {
  ibv_poll_cq_attr attributes{};
  int error = ibv_start_poll(extended_, &attributes);
  if (error == ENOENT) return std::size_t{0};
  if (error != 0) return core::errno_error(error, "ibv_start_poll");
  std::size_t count = 0;
  while (error == 0 && count < out.size()) {
    out[count++] = from_extended(extended_);
    if (count < out.size()) error = ibv_next_poll(extended_);
  }
  ibv_end_poll(extended_);
  if (error != 0 && error != ENOENT) return core::errno_error(error, "ibv_next_poll");
  return count;
}

}  // namespace rdmadiag::probes
