#include "probes/verbs/rc_endpoint.h"

#include <endian.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "probes/verbs/qp_walker.h"
#include "probes/work_id.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kMessage = 64;
constexpr std::uint32_t kSends = 2;  // of a connection
constexpr std::uint32_t kReceives = 4;
constexpr std::size_t kPlace = kMessage * (kSends + kReceives);
constexpr std::size_t kBatch = 32;

ibv_wr_opcode opcode_of(RcOperation operation) {
  switch (operation) {
    case RcOperation::kSend: return IBV_WR_SEND;
    case RcOperation::kWrite: return IBV_WR_RDMA_WRITE;
    case RcOperation::kRead: return IBV_WR_RDMA_READ;
  }
  return IBV_WR_SEND;
}

// What the peer may do to us.
int access_for(const RcSetup& setup) {
  if (setup.role == RcRole::kProber) return 0;
  switch (setup.operation) {
    case RcOperation::kSend: return 0;
    case RcOperation::kWrite: return IBV_ACCESS_REMOTE_WRITE;
    case RcOperation::kRead: return IBV_ACCESS_REMOTE_READ;
  }
  return 0;
}

std::string reason(const WorkCompletion& completion) {
  return fmt::format("{} (wc status {}), vendor_err 0x{:x}",
                     ibv_wc_status_str(static_cast<ibv_wc_status>(completion.status)),
                     completion.status, completion.vendor_error);
}

}  // namespace

RcEndpoint::RcEndpoint(const RcEndpointOptions& options, const core::Clock& clock,
                       ProtectionDomain domain, CompletionQueue queue,
                       std::unique_ptr<RcConnector> connector)
    : port_(options.port),
      clock_(clock),
      domain_(std::move(domain)),
      queue_(std::move(queue)),
      connector_(std::move(connector)) {
  for (std::size_t place = options.max_connections; place > 0; --place) {
    free_places_.push_back(place - 1);
  }
}

RcEndpoint::~RcEndpoint() {
  for (const auto& [id, connection] : connections_) connector_->forget(id);
}

core::Result<std::unique_ptr<RcEndpoint>> RcEndpoint::create(
    const Device& device, const RcEndpointOptions& options, const core::Clock& clock,
    std::unique_ptr<RcConnector> connector) {
  ProtectionDomain domain(ibv_alloc_pd(device.context()));
  if (!domain) return core::errno_error(errno, "ibv_alloc_pd");
  // Twice: what a destroyed queue pair had completed may still lie there.
  const auto entries = static_cast<int>(2 * options.max_connections * (kSends + kReceives));
  auto queue = CompletionQueue::create(device, entries);
  if (!queue) return tl::make_unexpected(queue.error());
  auto memory = RegisteredMemory::create(domain.get(), options.max_connections * kPlace);
  if (!memory) return tl::make_unexpected(memory.error());
  if (!connector) connector = std::make_unique<QpWalker>(device);
  std::unique_ptr<RcEndpoint> endpoint(
      new RcEndpoint(options, clock, std::move(domain), std::move(*queue), std::move(connector)));
  endpoint->memory_ = std::move(*memory);
  return endpoint;
}

void RcEndpoint::add_descriptors(std::vector<int>& descriptors) const {
  descriptors.push_back(queue_.event_fd());
  connector_->add_descriptors(descriptors);
}

core::Result<RcCreated> RcEndpoint::create(const RcSetup& setup) {
  if (free_places_.empty()) return core::fail("all connections of this port are in use");
  const RcConnectionId id = next_id_++;
  Connection connection;
  connection.setup = setup;
  connection.place = free_places_.back();
  RcCreated created{
      .id = id,
      .local = {
          .mtu_bytes = port_.mtu_bytes, .operation = setup.operation, .service = setup.service}};
  if (auto prepared = prepare(id, connection, created.local); !prepared) {
    connector_->forget(id);
    return tl::make_unexpected(prepared.error());
  }
  free_places_.pop_back();
  connections_.emplace(id, std::move(connection));
  return created;
}

core::Status RcEndpoint::prepare(RcConnectionId id, Connection& connection, RcParameters& local) {
  const RcSetup& setup = connection.setup;
  auto pair = create_queue_pair(
      domain_.get(), queue_.get(), setup.service == RcService::kReliable ? IBV_QPT_RC : IBV_QPT_UC,
      {.sends = kSends, .receives = kReceives, .inline_bytes = kMessage, .receive_segments = 1});
  if (!pair) return tl::make_unexpected(pair.error());
  connection.qp = std::move(pair->handle);
  connection.inline_bytes = pair->inline_bytes;
  if (auto opened = open_memory(connection); !opened) return opened;
  const int access = access_for(setup);
  if (access != 0) {
    local.memory_address = connection.opened.address();
    local.memory_key = connection.opened.remote_key();
  }
  local.qpn = connection.qp->qp_num;
  ibv_qp* qp = connection.qp.get();
  if (auto done = connector_->prepare(id, qp, port_, setup, access, local); !done) return done;
  for (std::uint32_t slot = 0; slot < kReceives; ++slot) {
    if (auto posted = post_receive(id, connection, slot); !posted) return posted;
  }
  return {};
}

core::Status RcEndpoint::open_memory(Connection& connection) const {
  const int access = access_for(connection.setup);
  if (access == 0) return {};
  auto memory = RegisteredMemory::create(domain_.get(), kMessage, access);
  if (!memory) return tl::make_unexpected(memory.error());
  connection.opened = std::move(*memory);
  return {};
}

core::Result<RcConnecting> RcEndpoint::connect(RcConnectionId id, const RcParameters& remote) {
  Connection& connection = connections_.at(id);
  connection.remote = remote;
  return connector_->connect(id, connection.qp.get(), port_, connection.setup, remote);
}

std::size_t RcEndpoint::send_offset(const Connection& connection, std::uint32_t slot) const {
  return connection.place * kPlace + slot * kMessage;
}

std::size_t RcEndpoint::receive_offset(const Connection& connection, std::uint32_t slot) const {
  return send_offset(connection, kSends + slot);
}

core::Status RcEndpoint::post(RcConnectionId id, RcOperation operation, std::uint64_t number) {
  Connection& connection = connections_.at(id);
  if (connection.sends_in_flight == kSends) return core::fail("the send queue is full");
  const std::size_t offset = send_offset(connection, connection.next_send);
  connection.next_send = (connection.next_send + 1) % kSends;
  const std::uint64_t big_endian = htobe64(number);
  std::memcpy(memory_.at(offset), &big_endian, sizeof(big_endian));
  ibv_sge segment = memory_.segment(offset, kMessage);
  ibv_send_wr request{};
  request.wr_id = pack({WorkKind::kRcSend, id, 0});
  request.sg_list = &segment;
  request.num_sge = 1;
  request.opcode = opcode_of(operation);
  request.send_flags = IBV_SEND_SIGNALED;
  if (operation != RcOperation::kRead && connection.inline_bytes >= kMessage) {
    request.send_flags |= IBV_SEND_INLINE;
  }
  if (operation != RcOperation::kSend) {
    request.wr.rdma.remote_addr = connection.remote.memory_address;
    request.wr.rdma.rkey = connection.remote.memory_key;
  }
  ibv_send_wr* bad = nullptr;
  if (const int error = ibv_post_send(connection.qp.get(), &request, &bad); error != 0) {
    return core::errno_error(error, "ibv_post_send");
  }
  ++connection.sends_in_flight;
  return {};
}

core::Status RcEndpoint::post_receive(RcConnectionId id, const Connection& connection,
                                      std::uint32_t slot) {
  ibv_sge segment = memory_.segment(receive_offset(connection, slot), kMessage);
  ibv_recv_wr request{};
  request.wr_id = pack({WorkKind::kReceive, id, static_cast<std::uint16_t>(slot)});
  request.sg_list = &segment;
  request.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  if (const int error = ibv_post_recv(connection.qp.get(), &request, &bad); error != 0) {
    return core::errno_error(error, "ibv_post_recv");
  }
  return {};
}

void RcEndpoint::destroy(RcConnectionId id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  connector_->forget(id);
  free_places_.push_back(found->second.place);
  connections_.erase(found);
}

RcConnectionId RcEndpoint::connection_of(std::uint32_t qpn) const {
  const auto found = std::ranges::find_if(
      connections_, [qpn](const auto& entry) { return entry.second.qp->qp_num == qpn; });
  return found == connections_.end() ? 0 : found->first;
}

core::Result<std::size_t> RcEndpoint::poll(RcEvents& events) {
  const auto happened = connector_->poll(events);
  if (!happened) return happened;
  std::array<WorkCompletion, kBatch> batch{};
  const auto count = queue_.poll(batch);
  if (!count) {
    broken_ = true;
    return tl::make_unexpected(count.error());
  }
  for (std::size_t i = 0; i < *count; ++i) hand_out(batch[i], events);
  return *count + *happened;
}

void RcEndpoint::hand_out(const WorkCompletion& completion, RcEvents& events) {
  const WorkId work = unpack_work_id(completion.work_id);
  const RcConnectionId id = work.generation;
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;  // destroyed meanwhile
  if (!completion.success()) return events.broken(id, reason(completion));
  if (work.kind == WorkKind::kReceive) return hand_out_receive(id, work.slot, events);
  --found->second.sends_in_flight;
  events.sent(id, {clock_.steady(), completion.device_ticks});
}

void RcEndpoint::hand_out_receive(RcConnectionId id, std::uint32_t slot, RcEvents& events) {
  std::uint64_t big_endian = 0;
  std::memcpy(&big_endian, memory_.at(receive_offset(connections_.at(id), slot)),
              sizeof(big_endian));
  // At once: the peer's next message may be on its way.
  if (auto posted = post_receive(id, connections_.at(id), slot); !posted) {
    return events.broken(id, posted.error().message());
  }
  events.received(id, be64toh(big_endian), {clock_.steady(), {}});
}

}  // namespace rdmadiag::probes
