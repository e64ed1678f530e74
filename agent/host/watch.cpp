#include "agent/host/watch.h"

#include <linux/netlink.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "agent/host/devlink_messages.h"
#include "agent/host/port_poll.h"
#include "agent/host/rdma_netlink_messages.h"

namespace rdmadiag::host {
namespace {

void list_links_now(NetlinkTransport& route, PortTransitions& transitions,
                    const core::Clock& clock) {
  const std::uint64_t since = transitions.notifications();
  const auto reply =
      route.transact({.type = kRtmGetLink, .dump = true, .payload = link_dump_request()});
  if (!reply) return;  // notifications go on; the next loss lists again
  for (std::size_t i = 0; i < reply->size(); ++i)
    if (const auto link = decode_link(reply->payload(i)))
      transitions.see_dumped_link(*link, since, clock.system());
}

}  // namespace

void Watch::DeviceListener::tell() {
  const std::lock_guard lock(mutex);
  if (on_changed) on_changed();
}

Watch::Watch(WatchParts parts, core::UniqueFd epoll)
    : parts_(std::move(parts)), epoll_(std::move(epoll)) {
  device_listener_->on_changed = parts_.on_devices_changed;
}

core::Result<std::unique_ptr<Watch>> Watch::start(WatchParts parts) {
  core::UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return core::errno_error(errno, "epoll for the watcher");
  std::unique_ptr<Watch> watch(new Watch(std::move(parts), std::move(epoll)));
  watch->links_ = watch->listen(NETLINK_ROUTE, kLinkGroup);
  watch->devices_ = watch->listen(NETLINK_RDMA, kNotifyGroup);
  if (watch->parts_.devlink)
    if (const auto family = watch->parts_.devlink->family())
      if (const auto group = family->group("config"))
        watch->health_ = watch->listen(NETLINK_GENERIC, *group);
  watch->list_links();
  // Kernels before 6.12 let one join the group of RDMA netlink and never send to it.
  watch->watch_device_list();
  return watch;
}

Watch::~Watch() {
  {
    const std::lock_guard lock(device_listener_->mutex);
    device_listener_->on_changed = nullptr;
  }
  const std::lock_guard lock(mutex_);
  for (auto& [device, watched] : watched_) watched.thread->stop();
  if (device_list_) device_list_->stop();
}

std::optional<NetlinkListener> Watch::listen(int protocol, unsigned group) {
  auto listener = NetlinkListener::open(protocol, group);
  if (!listener) {
    deaf_.push_back(std::move(listener.error()));
    return std::nullopt;
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener->descriptor();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener->descriptor(), &event) < 0) {
    deaf_.push_back({std::error_code(errno, std::generic_category()), "epoll for the watcher"});
    return std::nullopt;
  }
  return std::move(*listener);
}

// Beside the loop: the list waits for the kernel's RTNL lock, which a stuck driver may hold.
void Watch::list_links() {
  if (!parts_.route) return;
  parts_.launch([route = parts_.route, transitions = transitions_, clock = parts_.clock] {
    list_links_now(*route, *transitions, *clock);
  });
}

void Watch::watch_device_list() {
  if (!parts_.rdma) return;
  auto known = std::make_shared<std::optional<std::vector<NetlinkDevice>>>();
  device_list_ = std::make_unique<PeriodicThread>(
      parts_.list_interval, [known, rdma = parts_.rdma, listener = device_listener_] {
        auto devices = rdma->list_devices();
        // Without the module there are no devices: those it brings are news.
        if (!devices && devices.error().code == std::errc::protocol_not_supported)
          devices = std::vector<NetlinkDevice>();
        if (!devices) return;
        if (*known && **known != *devices) listener->tell();
        *known = *std::move(devices);
      });
}

void Watch::dispatch() {
  const auto hear_links = [this](const Message& message) { hear_link(message); };
  if (links_ && !links_->drain(hear_links)) list_links();
  if (devices_) {
    bool changed = false;
    const bool complete = devices_->drain(
        [&](const Message& message) { changed = changed || message.type == kNldevMonitor; });
    if (changed || !complete) device_listener_->tell();
  }
  if (health_) (void)health_->drain([this](const Message& message) { hear_health(message); });
}

void Watch::hear_link(const Message& message) {
  const auto link = decode_link(message.payload);
  if (!link) return;
  if (message.type == kRtmNewLink) transitions_->see_link(*link, parts_.clock->system());
  if (message.type == kRtmDelLink) transitions_->forget_link(link->index);
}

void Watch::hear_health(const Message& message) {
  if (!parts_.on_health) return;
  const auto generic = decode_generic(message.payload);
  if (!generic) return;
  // Notifications of other things have no reporter in them.
  if (const auto reporter = decode_health_reporter(generic->attributes))
    parts_.on_health(*reporter);
}

void Watch::set_ports(std::vector<WatchedPort> ports) {
  std::map<std::string, std::vector<WatchedPort>> by_device;
  for (WatchedPort& port : ports) by_device[port.device].push_back(std::move(port));
  const std::lock_guard lock(mutex_);
  for (auto next = watched_.begin(); next != watched_.end();) {
    const auto entry = next++;
    if (by_device.contains(entry->first)) continue;
    const std::string device = entry->first;
    watched_.erase(entry);  // first, so that no new look begins
    transitions_->forget_device(device);
  }
  for (auto& [device, its_ports] : by_device) {
    const auto found = watched_.find(device);
    if (found == watched_.end() || found->second.ports != its_ports)
      watch_device(device, std::move(its_ports));
  }
}

void Watch::watch_device(const std::string& device, std::vector<WatchedPort> ports) {
  DeviceWatch& watched = watched_[device];
  watched.ports = ports;
  auto poll = std::make_shared<PortPoll>(parts_.roots, std::move(ports), parts_.files, parts_.clock,
                                         transitions_);
  watched.thread = std::make_unique<PeriodicThread>(parts_.poll_interval, [poll] { poll->look(); });
}

Watch::PortListener Watch::port_listener() const {
  return [transitions = transitions_, clock = parts_.clock](const std::string& device,
                                                            std::uint32_t port, bool up) {
    transitions->see_state_event(device, port, up, clock->system());
  };
}

std::optional<Transitions> Watch::transitions(const WatchedPort& port) const {
  return transitions_->of(port);
}

}  // namespace rdmadiag::host
