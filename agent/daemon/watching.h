// What the daemon does about what happens between two reads: it follows the ports of the last one,
// counts their transitions, reads again when devices come and go, and logs what health reporters
// tell. Notifications are taken by dispatch() on the event loop; reads they lead to are made by a
// thread of its own, so that neither the loop nor a request waits for them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "agent/core/snapshot.h"
#include "agent/host/watch.h"

namespace rdmadiag::daemon {

struct WatchingParts {
  host::WatchParts watch;         // its callbacks are set by Watching
  std::function<void()> rescan;   // the next read lists devices anew; any thread, must not wait
  std::function<void()> observe;  // reads, and calls follow(); may wait
  // A device's addresses and names come a moment after it: it is looked at again this long after
  // the first look. Also the shortest time between two looks.
  std::chrono::nanoseconds settle = std::chrono::seconds(1);
};

class Watching {
 public:
  [[nodiscard]] static core::Result<std::unique_ptr<Watching>> start(WatchingParts parts);
  // Waits for a read at work.
  ~Watching();
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  // For the event loop; see host::Watch.
  [[nodiscard]] int descriptor() const { return watch_->descriptor(); }
  void dispatch() { watch_->dispatch(); }

  // Any thread. The ports and health reporters of this snapshot are watched from now on; those of a
  // device that does not answer stay.
  void follow(const core::HostSnapshot& host);

  [[nodiscard]] host::Watch::PortListener port_listener() const { return watch_->port_listener(); }

  // Any thread. Nothing before the port was first seen.
  [[nodiscard]] std::optional<host::Transitions> transitions(const std::string& device,
                                                             const core::PortSnapshot& port) const;

 private:
  struct Shared;
  Watching(std::shared_ptr<Shared> shared, std::unique_ptr<host::Watch> watch);
  void run();

  const std::shared_ptr<Shared> shared_;
  const std::unique_ptr<host::Watch> watch_;
  std::thread thread_;
};

}  // namespace rdmadiag::daemon
