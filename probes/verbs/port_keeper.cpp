#include "probes/verbs/port_keeper.h"

#include <utility>

#include "agent/core/gid.h"
#include "agent/core/log.h"

namespace rdmadiag::probes {
namespace {

bool same(const PortView& a, const PortView& b) {
  return a.info.state == b.info.state && a.info.lid == b.info.lid && a.gid.gid == b.gid.gid &&
         a.gid.index == b.gid.index;
}

}  // namespace

PortKeeper::PortKeeper(DeviceIdentity identity, std::uint8_t port, PortUser& user)
    : identity_(std::move(identity)), port_(port), user_(user) {}

void PortKeeper::look() {
  if (device_) {
    follow();
  } else {
    open();
  }
}

void PortKeeper::set_problem(std::string problem) {
  if (problem == problem_) return;
  problem_ = std::move(problem);
  const std::string port = std::to_string(port_);
  if (problem_.empty()) {
    core::log_info("probing", {{"device", identity_.name}, {"port", port}});
  } else {
    core::log_warn("not probing",
                   {{"device", identity_.name}, {"port", port}, {"problem", problem_}});
  }
}

core::Result<PortView> view_port(const Device& device, std::uint8_t port) {
  PortView view;
  view.number = port;
  auto info = device.query_port(port);
  if (!info) return tl::make_unexpected(info.error());
  view.info = *info;
  view.protocol = device.protocol(*info);
  auto gids = device.gids(port);
  if (!gids) return tl::make_unexpected(gids.error());
  const core::GidChoice choice = core::choose_gid(*gids, view.protocol);
  view.gid_reason = choice.reason;
  if (!choice.entry) return core::fail("no usable GID: " + choice.reason);
  view.gid = *choice.entry;
  return view;
}

void PortKeeper::open() {
  auto device = Device::open(identity_);
  if (!device) return set_problem(device.error().message());
  device_.emplace(std::move(*device));
  auto seen = view_port(*device_, port_);
  if (!seen) {
    set_problem(seen.error().message());
    return close();
  }
  if (auto opened = user_.open(*device_, *seen); !opened) {
    set_problem(opened.error().message());
    return close();
  }
  view_ = std::move(*seen);
  if (view_->info.is_active()) {
    set_problem({});
  } else {
    set_problem("the port is down");
    user_.port_changed(*view_);
  }
}

void PortKeeper::follow() {
  const DeviceEvents events = device_->take_events(port_);
  if (events.fatal) return rebuild("the device reported a fatal error");
  if (!device_->still_there()) return rebuild("the device has gone");
  if (events.queue_broken) return rebuild("a completion queue overflowed");
  auto seen = view_port(*device_, port_);
  if (!seen) return rebuild(seen.error().message());
  // Buffers were made for the old one.
  if (seen->info.active_mtu_bytes > view_->info.active_mtu_bytes) {
    return rebuild("the path MTU has grown");
  }
  if (!same(*seen, *view_)) {
    view_ = std::move(*seen);
    user_.port_changed(*view_);
    set_problem(view_->info.is_active() ? std::string() : "the port is down");
  }
  user_.device_events(events);
}

void PortKeeper::rebuild(const std::string& why) {
  set_problem(why);
  close();
}

void PortKeeper::close() {
  user_.close();
  view_.reset();
  device_.reset();
}

PortState PortKeeper::state() const {
  PortState state;
  state.usable = problem_.empty();
  state.problem = problem_;
  if (!view_) return state;
  state.protocol = view_->protocol;
  state.gid = view_->gid.gid;
  state.lid = view_->info.lid;
  state.mtu_bytes = view_->info.active_mtu_bytes;
  return state;
}

}  // namespace rdmadiag::probes
