// What runs on the thread of one port: told when the port can be used and when not, asked for its
// completions and for what is due. Every call comes from that thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "probes/verbs/device.h"

namespace rdmadiag::probes {

// A port as it was last looked at.
struct PortView {
  std::uint8_t number = 1;
  PortInfo info;
  core::Protocol protocol = core::Protocol::kUnknown;
  core::GidEntry gid;
  std::string gid_reason;
};

class PortUser {
 public:
  virtual ~PortUser() = default;

  // The device is open and the port has a GID: make what is needed. `device` stays until close().
  // After an error close() is called, and open() again a second later.
  virtual core::Status open(const Device& device, const PortView& view) = 0;
  // The thread ends: what close() does next is no failure of the device.
  virtual void stop() {}
  // Destroys everything that was made of the device.
  virtual void close() = 0;
  // Another GID, another index of the same one, the port down or up again.
  virtual void port_changed(const PortView& view) = 0;
  // Queue pairs that the device reported broken, and how the port went up and down.
  virtual void device_events(const DeviceEvents& events) = 0;

  // Completion channels to wait for.
  virtual void add_descriptors(std::vector<int>& descriptors) const = 0;
  // Hands out a batch of completions; how many. Called until it says 0.
  virtual core::Result<std::size_t> poll() = 0;
  virtual core::Status arm() = 0;
  // Only making everything anew helps.
  [[nodiscard]] virtual bool broken() const = 0;

  // Sends what is due. True when something was sent whose answer is worth a short spin.
  virtual bool work() = 0;
  [[nodiscard]] virtual std::optional<core::SteadyTime> next_wakeup() = 0;
  // Whether a stall of the loop would falsify something: then it looks at its clock often.
  [[nodiscard]] virtual bool watches_clock() const = 0;
  virtual void loop_stalled(core::SteadyTime from, core::SteadyTime to) = 0;
};

}  // namespace rdmadiag::probes
