// Ctrl-C. While a command waits it ends the wait, so that what was begun is finished and shown; at
// any other time it ends the program as it always does. One per process, set up before any thread.
#pragma once

#include <chrono>

namespace rdmadiag::cli {

// Takes over SIGINT and SIGTERM.
void install_interrupt_handler();

// False when an interrupt came first.
[[nodiscard]] bool wait_or_interrupt(std::chrono::nanoseconds duration);

}  // namespace rdmadiag::cli
