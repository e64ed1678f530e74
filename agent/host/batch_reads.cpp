#include "agent/host/batch_reads.h"

#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace rdmadiag::host {

// What the kernel keeps of the reads that are under way: one caller's at a time.
class BatchReads::Context {
 public:
  static constexpr std::size_t kAtOnce = 64;

  // Null when the kernel has none to give.
  static std::unique_ptr<Context> make() {
    aio_context_t id = 0;
    if (syscall(SYS_io_setup, kAtOnce, &id) != 0) return nullptr;
    return std::unique_ptr<Context>(new Context(id));
  }
  ~Context() { syscall(SYS_io_destroy, id_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // At most kAtOnce. The number that was answered, and errno when that is 0.
  std::size_t read(std::span<FileRead> reads) {
    for (std::size_t i = 0; i < reads.size(); ++i) {
      iocb& order = orders_[i];
      order = {};
      order.aio_data = i;
      order.aio_lio_opcode = IOCB_CMD_PREAD;
      order.aio_fildes = static_cast<std::uint32_t>(reads[i].descriptor);
      order.aio_buf = reinterpret_cast<std::uintptr_t>(reads[i].into.data());
      order.aio_nbytes = reads[i].into.size();
      pointers_[i] = &order;
    }
    const long submitted = syscall(SYS_io_submit, id_, reads.size(), pointers_.data());
    const std::size_t taken = submitted > 0 ? static_cast<std::size_t>(submitted) : 0;
    await(reads.first(taken));
    return taken;
  }

 private:
  explicit Context(aio_context_t id) : id_(id) {}

  // The buffers are the kernel's until the last answer has come. Reads of files are over when
  // io_submit returns, so this waits for nothing.
  void await(std::span<FileRead> reads) {
    for (std::size_t left = reads.size(); left > 0;) {
      const long count = syscall(SYS_io_getevents, id_, left, left, events_.data(), nullptr);
      if (count < 0 && errno != EINTR) std::abort();  // nothing else can be wrong with it
      if (count <= 0) continue;
      for (const io_event& event : std::span(events_).first(static_cast<std::size_t>(count))) {
        reads[event.data].count = static_cast<std::ptrdiff_t>(event.res);
      }
      left -= static_cast<std::size_t>(count);
    }
  }

  aio_context_t id_;
  std::array<iocb, kAtOnce> orders_;
  std::array<iocb*, kAtOnce> pointers_;
  std::array<io_event, kAtOnce> events_;
};

BatchReads::BatchReads() = default;
BatchReads::~BatchReads() = default;

std::unique_ptr<BatchReads::Context> BatchReads::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Context> context = std::move(idle_.back());
      idle_.pop_back();
      return context;
    }
  }
  return Context::make();
}

void BatchReads::give_back(std::unique_ptr<Context> context) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(context));
}

std::size_t BatchReads::read(std::span<FileRead> reads) {
  if (!usable_.load(std::memory_order_relaxed)) return 0;
  std::unique_ptr<Context> context = take();
  if (!context) {
    usable_.store(false, std::memory_order_relaxed);
    return 0;
  }
  std::size_t answered = 0;
  while (answered < reads.size()) {
    const std::size_t count = std::min(reads.size() - answered, Context::kAtOnce);
    const std::size_t taken = context->read(reads.subspan(answered, count));
    answered += taken;
    // A file that cannot be read this way: on old kernels that is so of all files of sysfs.
    if (taken == 0 && errno != EBADF) usable_.store(false, std::memory_order_relaxed);
    if (taken < count) break;
  }
  give_back(std::move(context));
  return answered;
}

}  // namespace rdmadiag::host
