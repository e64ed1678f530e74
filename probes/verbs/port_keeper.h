// Keeps one port of one device open for a PortUser: opens it when it is there, watches it, and
// closes it when it goes. Used by one thread, about once a second and at each event of the device.
#pragma once

#include <optional>
#include <string>

#include "probes/verbs/device.h"
#include "probes/verbs/port_thread.h"
#include "probes/verbs/port_user.h"

namespace rdmadiag::probes {

// The port as it is now, with the GID that is used; an error when it has none.
[[nodiscard]] core::Result<PortView> view_port(const Device& device, std::uint8_t port);

class PortKeeper {
 public:
  // `user` outlives it.
  PortKeeper(DeviceIdentity identity, std::uint8_t port, PortUser& user);

  // Opens what is closed, or sees what became of what is open.
  void look();
  // Closes everything; the next look() opens it anew.
  void rebuild(const std::string& why);
  void close();

  [[nodiscard]] bool is_open() const { return device_.has_value(); }
  // Of an open one: readable when the device has an event.
  [[nodiscard]] int event_fd() const { return device_->event_fd(); }
  [[nodiscard]] PortState state() const;

 private:
  void open();
  void follow();
  void set_problem(std::string problem);

  DeviceIdentity identity_;
  std::uint8_t port_;
  PortUser& user_;
  std::optional<Device> device_;
  std::optional<PortView> view_;  // as the user knows it
  std::string problem_ = "not opened yet";
};

}  // namespace rdmadiag::probes
