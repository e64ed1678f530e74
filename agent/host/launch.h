// Where slow questions are asked that no reader should wait for.
#pragma once

#include <functional>
#include <thread>
#include <utility>

namespace rdmadiag::host {

// Runs the task some time. The task owns, or shares, all it uses.
using Launch = std::function<void(std::function<void()>)>;

// In a thread of its own, which is left alone: it may be stuck in the kernel.
inline void launch_thread(std::function<void()> task) { std::thread(std::move(task)).detach(); }
// At once.
inline void launch_here(const std::function<void()>& task) { task(); }

}  // namespace rdmadiag::host
