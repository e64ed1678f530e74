#include "probes/bench/endpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/core/gid.h"
#include "probes/verbs/netdev_address.h"
#include "probes/verbs/qp_walker.h"
#include "probes/verbs/rc_cm.h"

namespace rdmadiag::probes {
namespace {

constexpr std::uint8_t kMostRetries = 7;  // a run is bounded by its own deadline
constexpr std::uint32_t kPsnMask = 0xffffff;
constexpr std::uint32_t kMostReads = 16;
constexpr std::uint8_t kHopLimit = 64;

ibv_qp_type qp_type(BenchTransport transport) {
  switch (transport) {
    case BenchTransport::kRc: return IBV_QPT_RC;
    case BenchTransport::kUc: return IBV_QPT_UC;
    case BenchTransport::kUd: return IBV_QPT_UD;
  }
  return IBV_QPT_RC;
}

// What the peer may do with the memory it writes to or reads from.
int access_for(const BenchPlan& plan) {
  switch (plan.operation) {
    case RcOperation::kSend: return 0;
    case RcOperation::kWrite: return IBV_ACCESS_REMOTE_WRITE;
    case RcOperation::kRead: return IBV_ACCESS_REMOTE_READ;
  }
  return 0;
}

bool same_subnet(const core::Gid& a, const core::Gid& b) {
  return std::equal(a.begin(), a.begin() + 8, b.begin());
}

core::Result<std::unique_ptr<RcConnector>> make_connector(const Device& device,
                                                          core::Protocol protocol) {
  if (protocol != core::Protocol::kIwarp) return std::make_unique<QpWalker>(device);
  auto made = CmConnector::create(random_from_system(), address_of_iwarp_gid);
  if (!made) return tl::make_unexpected(made.error());
  return std::unique_ptr<RcConnector>(std::move(*made));
}

// What became of connections, as far as connecting goes.
struct Connected final : RcEvents {
  void connected(RcConnectionId) override { ++up; }
  void sent(RcConnectionId, const Tick&) override {}
  void received(RcConnectionId, std::uint64_t, const Tick&) override {}
  void broken(RcConnectionId, const std::string& why) override { problem = why; }
  std::size_t up = 0;
  std::string problem;
};

// The connection of a lane, as connectors know it; 0 is none.
RcConnectionId id_of(std::size_t lane) { return static_cast<RcConnectionId>(lane + 1); }

}  // namespace

BenchEndpoint::BenchEndpoint(const Device& device, BenchEndpointOptions options,
                             ProtectionDomain domain, BenchQueue sends, BenchQueue receives,
                             std::unique_ptr<RcConnector> connector)
    : device_(device),
      options_(std::move(options)),
      domain_(std::move(domain)),
      sends_(std::move(sends)),
      receives_(std::move(receives)),
      connector_(std::move(connector)) {
  lanes_.reserve(options_.plan.pairs);
}

BenchEndpoint::~BenchEndpoint() {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) connector_->forget(id_of(lane));
}

core::Result<std::unique_ptr<BenchEndpoint>> BenchEndpoint::create(
    const Device& device, const BenchEndpointOptions& options, const RandomSource& random) {
  const PortView& port = options.port;
  const BenchPlan& plan = options.plan;
  if (!port.info.is_active()) {
    return core::fail(device.name() + " port " + std::to_string(port.number) + " is not active");
  }
  if (auto good = check_bench_plan(plan, port.protocol, port.info.active_mtu_bytes); !good) {
    return tl::make_unexpected(good.error());
  }
  const auto wakes = plan.events ? BenchQueue::Wakes::kByEvents : BenchQueue::Wakes::kNever;
  ProtectionDomain domain(ibv_alloc_pd(device.context()));
  if (!domain) return core::errno_error(errno, "ibv_alloc_pd");
  auto sends = BenchQueue::create(device, plan.pairs * (plan.depth + 1), wakes);
  if (!sends) return tl::make_unexpected(sends.error());
  const std::uint32_t receiving = std::max(plan.pairs * bench_receives(plan), 1U);
  auto receives = BenchQueue::create(device, receiving, wakes);
  if (!receives) return tl::make_unexpected(receives.error());
  auto connector = make_connector(device, port.protocol);
  if (!connector) return tl::make_unexpected(connector.error());
  std::unique_ptr<BenchEndpoint> endpoint(new BenchEndpoint(device, options, std::move(domain),
                                                            std::move(*sends), std::move(*receives),
                                                            std::move(*connector)));
  endpoint->local_.qkey = qkey_of_epoch(make_epoch(random));
  endpoint->local_.reads = std::min<std::uint32_t>(device.reads_in_flight(), kMostReads);
  for (std::uint32_t lane = 0; lane < plan.pairs; ++lane) {
    if (auto added = endpoint->add_lane(random); !added) return tl::make_unexpected(added.error());
  }
  return endpoint;
}

core::Status BenchEndpoint::add_lane(const RandomSource& random) {
  const BenchPlan& plan = options_.plan;
  BenchLane lane;
  auto sent = RegisteredMemory::create(domain_.get(), bench_span(plan));
  if (!sent) return tl::make_unexpected(sent.error());
  lane.sent = std::move(*sent);
  auto received = RegisteredMemory::create(domain_.get(), bench_span(plan), access_for(plan));
  if (!received) return tl::make_unexpected(received.error());
  lane.received = std::move(*received);
  auto pair = create_queue_pair(domain_.get(), sends_.get(), qp_type(plan.transport),
                                {.sends = plan.depth + 1,
                                 .receives = std::max(bench_receives(plan), 1U),
                                 .inline_bytes = wanted_inline(plan),
                                 .receive_segments = 1,
                                 .signalling = Signalling::kAsAsked,
                                 .receive_queue = receives_.get()});
  if (!pair) return tl::make_unexpected(pair.error());
  lane.qp = std::move(pair->handle);
  lane.inline_bytes = pair->inline_bytes;
  lane.psn = random() & kPsnMask;
  lanes_.push_back(std::move(lane));
  local_.ends.emplace_back();
  return initialise(lanes_.size() - 1, local_.ends.back());
}

core::Status BenchEndpoint::initialise(std::size_t number, RcParameters& local) {
  const BenchPlan& plan = options_.plan;
  BenchLane& lane = lanes_[number];
  local.gid = options_.port.gid.gid;
  local.lid = options_.port.info.lid;
  local.qpn = lane.qp->qp_num;
  local.mtu_bytes = bench_mtu(plan, options_.port.info.active_mtu_bytes);
  local.operation = plan.operation;
  if (plan.transport == BenchTransport::kUd) {
    if (auto done = ready_ud(lane.qp.get(), options_.port.number, local_.qkey); !done) return done;
  } else {
    const int access = access_for(plan);
    local.service =
        plan.transport == BenchTransport::kRc ? RcService::kReliable : RcService::kUnreliable;
    if (access != 0) {
      local.memory_address = lane.received.address();
      local.memory_key = lane.received.remote_key();
    }
    if (auto done = connector_->prepare(id_of(number), lane.qp.get(), connector_port(),
                                        setup_of(lane), access, local);
        !done) {
      return done;
    }
  }
  for (std::uint32_t i = 0; i < bench_receives(plan); ++i) {
    if (auto posted = post_receive(number); !posted) return posted;
  }
  return {};
}

// Connectors look at what the peer may do only where probes do: access was decided above.
RcSetup BenchEndpoint::setup_of(const BenchLane& lane) const {
  return {.role = options_.role,
          .operation = RcOperation::kSend,
          .service = options_.plan.transport == BenchTransport::kUc ? RcService::kUnreliable
                                                                    : RcService::kReliable,
          .psn = lane.psn,
          .tuning = {.reads_in_flight = static_cast<std::uint8_t>(local_.reads),
                     .rnr_retry = kMostRetries,
                     .retries = kMostRetries}};
}

RcPort BenchEndpoint::connector_port() const {
  const PortView& port = options_.port;
  return {.number = port.number,
          .protocol = port.protocol,
          .gid = port.gid,
          .lid = port.info.lid,
          .mtu_bytes = bench_mtu(options_.plan, port.info.active_mtu_bytes)};
}

core::Status BenchEndpoint::connect(const BenchEnds& remote) {
  if (remote.ends.size() != lanes_.size()) {
    return core::fail("the peer has " + std::to_string(remote.ends.size()) +
                      " queue pairs ready instead of " + std::to_string(lanes_.size()));
  }
  local_.reads = std::clamp(remote.reads, 1U, local_.reads);
  if (options_.plan.transport == BenchTransport::kUd) return connect_datagrams(remote);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    BenchLane& lane = lanes_[i];
    const RcParameters& end = remote.ends[i];
    lane.remote_qpn = end.qpn;
    lane.remote_address = end.memory_address;
    lane.remote_key = end.memory_key;
    const auto connecting =
        connector_->connect(id_of(i), lane.qp.get(), connector_port(), setup_of(lane), end);
    if (!connecting) return tl::make_unexpected(connecting.error());
    if (*connecting == RcConnecting::kPending) ++waiting_for_;
  }
  return {};
}

core::Status BenchEndpoint::connect_datagrams(const BenchEnds& remote) {
  const PortView& port = options_.port;
  remote_qkey_ = remote.qkey;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const RcParameters& end = remote.ends[i];
    if (static_cast<std::uint32_t>(end.mtu_bytes) < options_.plan.largest) {
      return core::fail("a message of " + std::to_string(options_.plan.largest) +
                        " bytes does not fit a UD datagram: the peer's MTU is " +
                        std::to_string(end.mtu_bytes));
    }
    ibv_ah_attr attributes{};
    attributes.port_num = port.number;
    attributes.dlid = end.lid;
    attributes.is_global =
        port.protocol != core::Protocol::kInfiniband || !same_subnet(end.gid, port.gid.gid) ? 1 : 0;
    std::memcpy(attributes.grh.dgid.raw, end.gid.data(), end.gid.size());
    attributes.grh.sgid_index = static_cast<std::uint8_t>(port.gid.index);
    attributes.grh.flow_label = 1;
    attributes.grh.hop_limit = kHopLimit;
    lanes_[i].address.reset(ibv_create_ah(domain_.get(), &attributes));
    if (!lanes_[i].address) {
      return core::errno_error(errno, "ibv_create_ah to " + core::format_gid(end.gid));
    }
    lanes_[i].remote_qpn = end.qpn;
  }
  return {};
}

core::Result<bool> BenchEndpoint::connected() {
  if (waiting_for_ == 0) return true;
  Connected events;
  const auto polled = connector_->poll(events);
  if (!polled) return tl::make_unexpected(polled.error());
  if (!events.problem.empty()) return core::fail("connecting to the peer: " + events.problem);
  waiting_for_ -= std::min(events.up, waiting_for_);
  return waiting_for_ == 0;
}

core::Status BenchEndpoint::post_receive(std::size_t lane) {
  BenchLane& to = lanes_[lane];
  ibv_sge segment = to.received.segment(0, bench_span(options_.plan));
  ibv_recv_wr request{};
  request.wr_id = lane;
  request.sg_list = &segment;
  request.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  if (const int error = ibv_post_recv(to.qp.get(), &request, &bad); error != 0) {
    return core::errno_error(error, "ibv_post_recv");
  }
  return {};
}

}  // namespace rdmadiag::probes
