#include "probes/verbs/port_users.h"

#include <algorithm>
#include <utility>

#include "probes/verbs/rc_open.h"

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;

// Where the source port is fixed for each queue pair, several make the paths differ.
constexpr std::size_t kSourcePairs = 2;
constexpr std::uint32_t kReceives = 1024;
constexpr auto kProbedLately = 5s;
constexpr int kLeastMtu = 256;  // some ports say 0 while they are down

int mtu_bytes(const PortView& view) { return std::max(view.info.active_mtu_bytes, kLeastMtu); }

RcPort rc_port(const PortView& view) {
  return {.number = view.number,
          .protocol = view.protocol,
          .gid = view.gid,
          .lid = view.info.lid,
          .mtu_bytes = mtu_bytes(view)};
}

}  // namespace

EndpointUser::EndpointUser(std::shared_ptr<const core::Clock> clock, std::uint32_t qkey,
                           std::size_t max_connections)
    : clock_(std::move(clock)), qkey_(qkey), max_connections_(max_connections) {}

core::Status EndpointUser::open(const Device& device, const PortView& view) {
  queue_pair_failed_ = false;
  if (!device.is_iwarp()) {  // which has no datagrams
    if (auto opened = open_datagrams(device, view); !opened) return opened;
  }
  if (auto opened = open_connections(device, view); !opened) return opened;
  attach_datagrams(datagrams_ != nullptr);
  if (connections_) attach(connections_.get());
  port_active(view.info.is_active());
  return {};
}

core::Status EndpointUser::open_datagrams(const Device& device, const PortView& view) {
  UdEndpointOptions options = datagram_options(device);
  options.port = view.number;
  options.gid = view.gid;
  options.mtu_bytes = mtu_bytes(view);
  options.qkey = qkey_;
  auto endpoint = UdEndpoint::create(device, options, *clock_);
  if (!endpoint) return tl::make_unexpected(endpoint.error());
  datagrams_ = std::move(*endpoint);
  return {};
}

core::Status EndpointUser::open_connections(const Device& device, const PortView& view) {
  if (max_connections_ == 0) return {};
  auto endpoint = open_rc_endpoint(
      device, {.port = rc_port(view), .max_connections = max_connections_}, *clock_);
  if (!endpoint) return tl::make_unexpected(endpoint.error());
  connections_ = std::move(*endpoint);
  return {};
}

void EndpointUser::attach_datagrams(bool attached) {
  attached_ = attached;
  attach(attached ? datagrams_.get() : static_cast<UdTransport*>(nullptr));
}

void EndpointUser::close() {
  attach_datagrams(false);
  attach(static_cast<RcTransport*>(nullptr));
  datagrams_.reset();
  connections_.reset();
}

void EndpointUser::port_changed(const PortView& view) {
  const bool active = view.info.is_active();
  if (datagrams_) {
    const bool moved = datagrams_->gid() != view.gid.gid;
    datagrams_->move_gid(view.gid);
    if (moved || active != attached_) attach_datagrams(active);
  }
  if (connections_) connections_->port_changed(rc_port(view));
  port_active(active);
}

void EndpointUser::device_events(const DeviceEvents& events) {
  for (const std::uint32_t qpn : events.broken_qps) {
    queue_pair_failed_ |= datagrams_ && datagrams_->owns(qpn);
    connection_broken(qpn);
  }
  for (const PortChange change : events.port_changes) port_went(change);
}

void EndpointUser::add_descriptors(std::vector<int>& descriptors) const {
  if (datagrams_) descriptors.push_back(datagrams_->event_fd());
  if (connections_) connections_->add_descriptors(descriptors);
}

core::Result<std::size_t> EndpointUser::poll() {
  std::size_t handed_out = 0;
  if (datagrams_) {
    const auto count = datagrams_->poll(datagram_events());
    if (!count) return count;
    handed_out += *count;
  }
  if (connections_) {
    const auto count = connections_->poll(connection_events());
    if (!count) return count;
    handed_out += *count;
  }
  return handed_out;
}

core::Status EndpointUser::arm() {
  if (datagrams_) {
    if (auto armed = datagrams_->arm(); !armed) return armed;
  }
  return connections_ ? connections_->arm() : core::Status{};
}

bool EndpointUser::broken() const {
  return queue_pair_failed_ || (datagrams_ && datagrams_->broken()) ||
         (connections_ && connections_->broken());
}

ProberUser::ProberUser(const ProberOptions& datagrams, const RcProberOptions& connections,
                       std::shared_ptr<const KeyRing> keys, const RandomSource& random,
                       std::shared_ptr<const core::Clock> clock, Wishes wishes)
    : EndpointUser(clock, qkey_of_epoch(datagrams.epoch), connections.max_connections),
      prober_(datagrams, std::move(keys), random, *clock),
      rc_prober_(connections, random, *clock),
      wishes_(std::move(wishes)) {}

UdEndpointOptions ProberUser::datagram_options(const Device& device) const {
  UdEndpointOptions options;
  options.queue_pairs = device.label_sets_port() ? 1 : kSourcePairs;
  options.receives = kReceives / static_cast<std::uint32_t>(options.queue_pairs);
  return options;
}

void ProberUser::port_went(PortChange change) {
  if (change == PortChange::kUp) rc_prober_.port_came_up();
  if (wishes_.on_port_change) wishes_.on_port_change(change);
}

bool ProberUser::work() {
  const bool sent_datagrams = prober_.work();
  // A path that carries datagrams again most likely carries connections too.
  for (const std::string& peer : prober_.take_recovered()) rc_prober_.retry_soon(peer);
  const bool sent_messages = rc_prober_.work();
  if (const auto lookups = prober_.take_lookups(); !lookups.empty()) wishes_.look_up(lookups);
  if (const auto requests = rc_prober_.take_requests(); !requests.empty())
    wishes_.connect(requests);
  return sent_datagrams || sent_messages;
}

std::optional<core::SteadyTime> ProberUser::next_wakeup() {
  const auto datagrams = prober_.next_wakeup();
  const auto connections = rc_prober_.next_wakeup();
  if (!datagrams || !connections) return datagrams ? datagrams : connections;
  return std::min(*datagrams, *connections);
}

void ProberUser::loop_stalled(core::SteadyTime from, core::SteadyTime to) {
  prober_.loop_stalled(from, to);
  rc_prober_.loop_stalled(from, to);
}

ResponderUser::ResponderUser(const RcAcceptorOptions& connections,
                             std::shared_ptr<const KeyRing> keys, const RandomSource& random,
                             std::shared_ptr<const core::Clock> clock)
    : EndpointUser(clock, qkey_of_epoch(connections.epoch), connections.max_connections),
      responder_(connections.epoch, std::move(keys), {}, *clock),
      acceptor_(connections, random, *clock) {}

UdEndpointOptions ResponderUser::datagram_options(const Device& /*device*/) const {
  UdEndpointOptions options;
  options.receives = kReceives;
  return options;
}

void ResponderUser::attach(UdTransport* datagrams) {
  responder_.attach(datagrams);
  qpn_ = datagrams != nullptr ? datagrams->qpn(0) : 0;
}

bool ResponderUser::watches_clock() const {
  return clock().steady() - responder_.last_received() < kProbedLately;
}

}  // namespace rdmadiag::probes
