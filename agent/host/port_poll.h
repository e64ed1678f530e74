// Looks at the ports of one device: the carrier counts of their netdevs, or the ports' own states.
// Files are kept open. Used by one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/host/file_reader.h"
#include "agent/host/port_transitions.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::host {

class PortPoll {
 public:
  PortPoll(const Roots& roots, std::vector<WatchedPort> ports, std::shared_ptr<FileReader> files,
           std::shared_ptr<const core::Clock> clock, std::shared_ptr<PortTransitions> transitions);
  ~PortPoll();
  PortPoll(const PortPoll&) = delete;
  PortPoll& operator=(const PortPoll&) = delete;

  void look();

 private:
  struct File {
    std::string path;
    int descriptor = -1;
  };
  struct Port {
    WatchedPort port;
    File up_count;  // of the netdev, ...
    File down_count;
    File state;  // ... or of a port without one
  };

  std::optional<std::string> read(File& file);
  void look_at_netdev(Port& port);
  void look_at_state(Port& port);
  void close(File& file);

  std::vector<Port> ports_;
  std::shared_ptr<FileReader> files_;
  std::shared_ptr<const core::Clock> clock_;
  std::shared_ptr<PortTransitions> transitions_;
};

}  // namespace rdmadiag::host
