// Buffers for texts of about the same size, made again and again: the memory of one that is not
// used any more is used for the next. A text of 100 KiB and more is otherwise taken from the kernel
// and given back each time, page by page.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rdmadiag::exporters {

// Any thread may call. The texts it gave may outlive it.
class TextPool {
 public:
  TextPool() : spare_(std::make_shared<Spare>()) { spare_->texts.reserve(kMaxSpare); }

  // An empty text. Its memory comes back to the pool with its last owner.
  [[nodiscard]] std::shared_ptr<std::string> take();
  // In bytes, of the texts that came back; 0 before the first.
  [[nodiscard]] std::size_t longest() const;

  // More than these are freed: so many are in use at once when two ask at a time.
  static constexpr std::size_t kMaxSpare = 2;

 private:
  struct Spare {
    std::mutex mutex;
    std::vector<std::string> texts;
    std::size_t longest = 0;
  };

  const std::shared_ptr<Spare> spare_;
};

}  // namespace rdmadiag::exporters
