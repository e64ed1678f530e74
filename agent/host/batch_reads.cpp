#include "agent/host/batch_reads.h"

#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace rdmadiag::host {
namespace {

// Where the kernel puts its answers: the id of a context is the address of this (fs/aio.c). Taking
// them from here spares a system call; libaio does so too.
struct AnswerRing {
  std::uint32_t id;
  std::uint32_t slots;
  std::uint32_t head;  // ours to move
  std::uint32_t tail;  // the kernel's
  std::uint32_t magic;
  std::uint32_t compatible_features;
  std::uint32_t incompatible_features;
  std::uint32_t header_size;
};
constexpr std::uint32_t kRingMagic = 0xa10a10a1;

}  // namespace

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
  explicit Context(aio_context_t id) : id_(id) {
    auto* const ring = reinterpret_cast<AnswerRing*>(id);  // NOLINT(performance-no-int-to-ptr)
    const bool is_known = ring->magic == kRingMagic && ring->incompatible_features == 0 &&
                          ring->header_size == sizeof(AnswerRing);
    if (is_known) ring_ = ring;
  }

  // The buffers are the kernel's until the last answer has come. Reads of files are over when
  // io_submit returns, so this asks and waits for nothing where the ring is known.
  void await(std::span<FileRead> reads) {
    for (std::size_t left = reads.size() - take_answers(reads); left > 0;) {
      const long count = syscall(SYS_io_getevents, id_, left, left, events_.data(), nullptr);
      if (count < 0 && errno != EINTR) std::abort();  // nothing else can be wrong with it
      if (count <= 0) continue;
      for (const io_event& event : std::span(events_).first(static_cast<std::size_t>(count))) {
        reads[event.data].count = static_cast<std::ptrdiff_t>(event.res);
      }
      left -= static_cast<std::size_t>(count);
    }
  }

  // The answers that are there, at most one a read; gives their number.
  std::size_t take_answers(std::span<FileRead> reads) {
    if (ring_ == nullptr) return 0;
    const auto* const events = reinterpret_cast<const io_event*>(ring_ + 1);
    const std::uint32_t tail = std::atomic_ref(ring_->tail).load(std::memory_order_acquire);
    std::uint32_t head = ring_->head;
    std::size_t taken = 0;
    for (; head != tail && taken < reads.size(); ++taken) {
      reads[events[head].data].count = static_cast<std::ptrdiff_t>(events[head].res);
      head = (head + 1) % ring_->slots;
    }
    std::atomic_ref(ring_->head).store(head, std::memory_order_release);
    return taken;
  }

  aio_context_t id_;
  AnswerRing* ring_ = nullptr;  // null: of a kind that is not known
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
