// One immutable value that one thread replaces and others read.
#pragma once

#include <memory>
#include <mutex>

namespace rdmadiag::daemon {

template <class T>
class Published {
 public:
  explicit Published(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  void publish(T value) {
    auto fresh = std::make_shared<const T>(std::move(value));
    const std::lock_guard lock(mutex_);
    value_.swap(fresh);
  }

  [[nodiscard]] std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace rdmadiag::daemon
