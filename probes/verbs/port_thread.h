// The thread that owns one port's verbs objects for one PortUser: opens the device, follows its
// port, GIDs and events, builds everything anew when it must, and sleeps on the completion channels
// in between. It is the only one that may hang in the kernel; then its owner goes on without it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "agent/core/clock.h"
#include "probes/verbs/device.h"
#include "probes/verbs/port_user.h"

namespace rdmadiag::probes {

struct PortState {
  bool usable = false;
  std::string problem = "not opened yet";  // why not
  core::Protocol protocol = core::Protocol::kUnknown;
  core::Gid gid{};
  std::uint16_t lid = 0;
  int mtu_bytes = 0;
  core::SteadyTime alive{};  // when the thread last looked at its clock
};

// Why the port cannot be used: what its thread says, or that it hangs. Empty when it can.
[[nodiscard]] std::string problem_of(const PortState& state, core::SteadyTime now);

class PortThread {
 public:
  // `name`: of the thread, at most 15 bytes.
  PortThread(DeviceIdentity device, std::uint8_t port, std::string name,
             std::shared_ptr<PortUser> user, std::shared_ptr<const core::Clock> clock);
  // Waits a second at most; a thread that hangs in the kernel is left to itself.
  ~PortThread();
  PortThread(const PortThread&) = delete;
  PortThread& operator=(const PortThread&) = delete;

  // Runs `task` on the thread, soon. Any thread may call. Dropped when too many wait because the
  // thread hangs: false.
  bool post(std::function<void()> task);
  [[nodiscard]] PortState state() const;  // any thread

 private:
  class Shared;
  class Loop;
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace rdmadiag::probes
