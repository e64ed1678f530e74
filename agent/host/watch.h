// Sees what happens between two reads: links and ports that go up and down, devices that come and
// go, health reporters that change. It listens to rtnetlink, RDMA netlink and devlink from the
// event loop, and looks at each device's ports a few times a second from a thread of that device's
// own, since a look can be stuck in a driver.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/nic.h"
#include "agent/core/result.h"
#include "agent/core/unique_fd.h"
#include "agent/host/file_reader.h"
#include "agent/host/generic_netlink.h"
#include "agent/host/launch.h"
#include "agent/host/netlink_listener.h"
#include "agent/host/netlink_source.h"
#include "agent/host/periodic_thread.h"
#include "agent/host/port_transitions.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::host {

struct WatchParts {
  Roots roots;
  std::shared_ptr<const core::Clock> clock;
  std::shared_ptr<FileReader> files = std::make_shared<SystemFileReader>();
  std::shared_ptr<NetlinkSource> rdma;      // to list devices: not every kernel notifies
  std::shared_ptr<NetlinkTransport> route;  // to list links
  std::shared_ptr<GenericNetlink> devlink;  // to find its group
  Launch launch = launch_thread;            // of the list of links
  // Devices have come, gone or changed their names. Called from any thread; must not wait.
  std::function<void()> on_devices_changed;
  // A health reporter was heard of. Called by dispatch().
  std::function<void(const core::HealthReporter&)> on_health;

  std::chrono::nanoseconds poll_interval = std::chrono::milliseconds(200);
  std::chrono::nanoseconds list_interval = std::chrono::seconds(1);
};

class Watch {
 public:
  // What cannot be listened to is not watched that way, and no error: see `deaf()`.
  [[nodiscard]] static core::Result<std::unique_ptr<Watch>> start(WatchParts parts);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Readable when dispatch() has something to do; dispatch() never waits. One thread.
  [[nodiscard]] int descriptor() const { return epoll_.get(); }
  void dispatch();

  // Any thread. Which ports to look at: those of the last snapshot.
  void set_ports(std::vector<WatchedPort> ports);
  // For asynchronous events of verbs contexts, PORT_ACTIVE and PORT_ERR. Each event must come once,
  // from any thread; it may come after the watch's end.
  using PortListener = std::function<void(const std::string& device, std::uint32_t port, bool up)>;
  [[nodiscard]] PortListener port_listener() const;
  [[nodiscard]] std::optional<Transitions> transitions(const WatchedPort& port) const;

  // The notifications this kernel does not give, e.g. "RDMA netlink protocol 20 group 4: …".
  [[nodiscard]] const std::vector<core::Error>& deaf() const { return deaf_; }

 private:
  explicit Watch(WatchParts parts, core::UniqueFd epoll);

  std::optional<NetlinkListener> listen(int protocol, unsigned group);
  void list_links();
  void watch_device(const std::string& device, std::vector<WatchedPort> ports);
  void watch_device_list();
  void hear_link(const Message& message);
  void hear_health(const Message& message);

  const WatchParts parts_;
  const core::UniqueFd epoll_;
  // Outlives the watch with a thread that is left behind, which must then tell nobody.
  struct DeviceListener {
    std::mutex mutex;
    std::function<void()> on_changed;
    void tell();
  };
  const std::shared_ptr<DeviceListener> device_listener_ = std::make_shared<DeviceListener>();
  const std::shared_ptr<PortTransitions> transitions_ = std::make_shared<PortTransitions>();
  std::vector<core::Error> deaf_;
  std::optional<NetlinkListener> links_;
  std::optional<NetlinkListener> devices_;
  std::optional<NetlinkListener> health_;

  std::mutex mutex_;  // guards what follows
  struct DeviceWatch {
    std::vector<WatchedPort> ports;
    std::unique_ptr<PeriodicThread> thread;
  };
  std::map<std::string, DeviceWatch> watched_;
  std::unique_ptr<PeriodicThread> device_list_;
};

}  // namespace rdmadiag::host
