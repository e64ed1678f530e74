#include "probes/bench/queue.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>

namespace rdmadiag::probes {

core::Result<BenchQueue> BenchQueue::create(const Device& device, std::uint32_t entries,
                                            Wakes wakes) {
  BenchQueue queue;
  if (wakes == Wakes::kByEvents) {
    queue.channel_.reset(ibv_create_comp_channel(device.context()));
    if (!queue.channel_) return core::errno_error(errno, "ibv_create_comp_channel");
    const int flags = ::fcntl(queue.channel_->fd, F_GETFL);
    if (flags < 0 || ::fcntl(queue.channel_->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
      return core::errno_error(errno, "making a completion channel non-blocking");
    }
  }
  queue.queue_.reset(
      ibv_create_cq(device.context(), static_cast<int>(entries), nullptr, queue.channel_.get(), 0));
  if (!queue.queue_) {
    return core::errno_error(errno, "ibv_create_cq of " + std::to_string(entries) + " entries");
  }
  return queue;
}

core::Status BenchQueue::wait(std::chrono::milliseconds time) {
  if (!channel_) return {};
  if (!armed_) {
    if (const int error = ibv_req_notify_cq(queue_.get(), 0); error != 0) {
      return core::errno_error(error, "ibv_req_notify_cq");
    }
    armed_ = true;
    return {};  // what completed before the request raises no event: the caller polls once more
  }
  pollfd readable{channel_->fd, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(time.count())) <= 0) return {};
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(channel_.get(), &queue, &context) == 0) {
    ibv_ack_cq_events(queue, 1);
    armed_ = false;
  }
  return {};
}

}  // namespace rdmadiag::probes
