#include "tests/support/fake_verbs.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agent/core/gid.h"
#include "tests/support/fake_verbs_state.h"

namespace rdmadiag::test {
namespace {

void signal(int fd) {
  const std::uint64_t one = 1;
  if (::write(fd, &one, sizeof(one)) != sizeof(one)) fake_state().violate("eventfd write failed");
}

// The 40 bytes in front of a datagram, as a RoCE v2 NIC leaves them.
std::array<std::byte, 40> header_of(const FakeDatagram& datagram) {
  std::array<std::byte, 40> header{};
  auto* octets = reinterpret_cast<std::uint8_t*>(header.data());
  if (core::is_ipv4_mapped(datagram.from)) {
    octets[20] = 0x45;
    octets[21] = datagram.traffic_class;
    octets[28] = 63;
    std::copy_n(datagram.from.begin() + 12, 4, octets + 32);
    std::copy_n(datagram.to.begin() + 12, 4, octets + 36);
    return header;
  }
  octets[0] = static_cast<std::uint8_t>(0x60 | datagram.traffic_class >> 4);
  octets[1] = static_cast<std::uint8_t>(datagram.traffic_class << 4);
  octets[7] = 63;
  std::copy(datagram.from.begin(), datagram.from.end(), octets + 8);
  std::copy(datagram.to.begin(), datagram.to.end(), octets + 24);
  return header;
}

bool inside_a_region(const ibv_sge& segment) {
  return std::ranges::any_of(fake_state().regions, [&](const auto& entry) {
    const ibv_mr* region = entry.first;
    const auto start = reinterpret_cast<std::uintptr_t>(region->addr);
    return segment.lkey == region->lkey && segment.addr >= start &&
           segment.addr + segment.length <= start + region->length;
  });
}

// False when the receive's buffers are too small.
bool scatter(const FakeReceive& receive, const std::vector<std::byte>& bytes) {
  std::size_t done = 0;
  for (const ibv_sge& segment : receive.segments) {
    const std::size_t part = std::min<std::size_t>(segment.length, bytes.size() - done);
    if (!inside_a_region(segment)) fake_state().violate("receive outside its memory region");
    if (part > 0) std::memcpy(reinterpret_cast<void*>(segment.addr), bytes.data() + done, part);
    done += part;
  }
  return done == bytes.size();
}

bool has_gid(const FakeQp& qp, const core::Gid& gid) {
  return std::ranges::any_of(qp.context->device->gids,
                             [&](const FakeGid& entry) { return entry.gid == gid; });
}

core::Gid own_gid(const FakeQp& qp, std::uint32_t index) {
  for (const FakeGid& entry : qp.context->device->gids) {
    if (entry.index == index) return entry.gid;
  }
  return {};
}

FakeQp* find_qp(const core::Gid& gid, std::uint32_t qpn) {
  for (FakeQp* qp : fake_state().qps) {
    if (qp->qp.qp_num == qpn && has_gid(*qp, gid)) return qp;
  }
  return nullptr;
}

bool receive_into(FakeQp& target, const std::vector<std::byte>& bytes, std::uint32_t source_qpn) {
  if (target.receives.empty()) return false;
  const FakeReceive receive = std::move(target.receives.front());
  target.receives.pop_front();
  ibv_wc wc{};
  wc.wr_id = receive.id;
  wc.status = scatter(receive, bytes) ? IBV_WC_SUCCESS : IBV_WC_LOC_LEN_ERR;
  wc.opcode = IBV_WC_RECV;
  wc.byte_len = static_cast<std::uint32_t>(bytes.size());
  wc.qp_num = target.qp.qp_num;
  wc.src_qp = source_qpn;
  wc.wc_flags = IBV_WC_GRH;
  fake_state().complete(target.qp.recv_cq, wc);
  return true;
}

std::vector<std::byte> gather(const ibv_send_wr& request) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < request.num_sge; ++i) {
    const ibv_sge& segment = request.sg_list[i];
    if ((request.send_flags & IBV_SEND_INLINE) == 0 && !inside_a_region(segment)) {
      fake_state().violate("send outside its memory region");
    }
    const auto* start = reinterpret_cast<const std::byte*>(segment.addr);
    bytes.insert(bytes.end(), start, start + segment.length);
  }
  return bytes;
}

// The other end of a connection, when it is one.
FakeQp* connected_peer(const FakeQp& qp) {
  FakeQp* peer = find_qp(qp.remote_gid, qp.remote_qpn);
  const bool connected = peer != nullptr && peer->remote_qpn == qp.qp.qp_num &&
                         (peer->qp.state == IBV_QPS_RTS || peer->qp.state == IBV_QPS_RTR) &&
                         peer->rq_psn == qp.sq_psn;
  return connected ? peer : nullptr;
}

bool may_reach(const FakeQp& peer, const ibv_send_wr& request, int needed, std::size_t bytes) {
  return (peer.access & static_cast<unsigned>(needed)) != 0 &&
         std::ranges::any_of(fake_state().regions, [&](const auto& entry) {
           const auto& [region, access] = entry;
           const auto start = reinterpret_cast<std::uintptr_t>(region->addr);
           const std::uint64_t at = request.wr.rdma.remote_addr;
           return region->rkey == request.wr.rdma.rkey && region->pd == peer.qp.pd &&
                  (access & needed) != 0 && at >= start && at + bytes <= start + region->length;
         });
}

// What an RDMA write or read does. The last byte comes last, as on every NIC that is known.
void move_memory(const ibv_send_wr& request, const std::vector<std::byte>& bytes) {
  auto* remote = reinterpret_cast<std::byte*>(request.wr.rdma.remote_addr);
  if (request.opcode == IBV_WR_RDMA_WRITE) {
    std::copy(bytes.begin(), bytes.end(), remote);
    return;
  }
  for (int i = 0; i < request.num_sge; ++i) {
    const ibv_sge& segment = request.sg_list[i];
    std::memcpy(reinterpret_cast<void*>(segment.addr), remote, segment.length);
    remote += segment.length;
  }
}

ibv_wc_status send_connected(FakeQp& qp, const ibv_send_wr& request,
                             const std::vector<std::byte>& bytes) {
  const bool reliable = qp.qp.qp_type == IBV_QPT_RC;
  FakeQp* peer = connected_peer(qp);
  const FakeDatagram datagram{.from = own_gid(qp, qp.gid_index),
                              .to = qp.remote_gid,
                              .source_qpn = qp.qp.qp_num,
                              .target_qpn = qp.remote_qpn,
                              .payload = {}};
  if (peer == nullptr || (fake_state().filter && !fake_state().filter(datagram))) {
    return reliable ? IBV_WC_RETRY_EXC_ERR : IBV_WC_SUCCESS;
  }
  if (request.opcode != IBV_WR_SEND) {
    const int needed =
        request.opcode == IBV_WR_RDMA_READ ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
    if (!may_reach(*peer, request, needed, bytes.size())) return IBV_WC_REM_ACCESS_ERR;
    move_memory(request, bytes);
    return IBV_WC_SUCCESS;
  }
  const bool received = receive_into(*peer, bytes, qp.qp.qp_num);
  return received || !reliable ? IBV_WC_SUCCESS : IBV_WC_RNR_RETRY_EXC_ERR;
}

}  // namespace

FakeState& fake_state() {
  static FakeState state;
  return state;
}

bool FakeState::fails() {
  if (calls_until_fault == 0 || --calls_until_fault != 0) return false;
  fault_used = true;
  errno = fault_error;
  return true;
}

void FakeState::remove(void* object, const std::string& kind) {
  const auto found = live.find(object);
  if (found == live.end() || found->second != kind) {
    violate("destroyed what is no " + kind);
  } else {
    live.erase(found);
  }
}

void FakeState::complete(ibv_cq* queue, const ibv_wc& wc) {
  auto* fake = reinterpret_cast<FakeCq*>(queue);
  ticks += ticks_per_completion;
  if (fake->completions.size() >= fake->depth) violate("completion queue overflow");
  fake->completions.push_back({wc, ticks});
  if (!fake->armed || queue->channel == nullptr) return;
  fake->armed = false;
  reinterpret_cast<FakeChannel*>(queue->channel)->events.push_back(queue);
  signal(queue->channel->fd);
}

bool FakeState::deliver(const FakeDatagram& datagram, const std::uint32_t* qkey) {
  FakeQp* target = find_qp(datagram.to, datagram.target_qpn);
  if (target == nullptr || target->qp.qp_type != IBV_QPT_UD) return false;
  if (target->qp.state != IBV_QPS_RTR && target->qp.state != IBV_QPS_RTS) return false;
  if (target->context->device->state != IBV_PORT_ACTIVE) return false;
  if (qkey != nullptr && *qkey != target->qkey) return false;
  if (filter && !filter(datagram)) return false;
  const auto header = header_of(datagram);
  std::vector<std::byte> bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), datagram.payload.begin(), datagram.payload.end());
  return receive_into(*target, bytes, datagram.source_qpn);
}

int FakeState::post_send(FakeQp& qp, const ibv_send_wr& request) {
  if (qp.sends_in_flight >= qp.caps.max_send_wr) return ENOMEM;
  if (qp.qp.state != IBV_QPS_RTS && qp.qp.state != IBV_QPS_ERR) return EINVAL;
  const std::vector<std::byte> bytes = gather(request);
  const bool is_inline = (request.send_flags & IBV_SEND_INLINE) != 0;
  if (is_inline && bytes.size() > qp.caps.max_inline_data) return ENOMEM;
  // Real providers put the data where the read's own address belongs.
  if (is_inline && request.opcode == IBV_WR_RDMA_READ) violate("a read with inline data");
  ibv_wc wc{};
  wc.wr_id = request.wr_id;
  wc.qp_num = qp.qp.qp_num;
  wc.opcode = IBV_WC_SEND;
  if (qp.qp.state == IBV_QPS_ERR) {
    wc.status = IBV_WC_WR_FLUSH_ERR;
  } else if (qp.qp.qp_type != IBV_QPT_UD) {
    wc.status = send_connected(qp, request, bytes);
    if (wc.status != IBV_WC_SUCCESS) qp.qp.state = IBV_QPS_ERR;
  } else {
    const auto* address = reinterpret_cast<FakeAh*>(request.wr.ud.ah);
    FakeDatagram datagram{.from = own_gid(qp, address->attributes.grh.sgid_index),
                          .source_qpn = qp.qp.qp_num,
                          .target_qpn = request.wr.ud.remote_qpn,
                          .flow_label = address->attributes.grh.flow_label,
                          .traffic_class = address->attributes.grh.traffic_class,
                          .payload = bytes};
    std::memcpy(datagram.to.data(), address->attributes.grh.dgid.raw, datagram.to.size());
    if (qp.context->device->state == IBV_PORT_ACTIVE) deliver(datagram, &request.wr.ud.remote_qkey);
  }
  const bool signalled = qp.signals_all || (request.send_flags & IBV_SEND_SIGNALED) != 0;
  if (!signalled && wc.status == IBV_WC_SUCCESS) return 0;
  ++qp.sends_in_flight;
  ++fake_state().signalled_sends;
  complete(qp.qp.send_cq, wc);
  return 0;
}

FakeVerbs& FakeVerbs::instance() {
  static FakeVerbs fake;
  return fake;
}

void FakeVerbs::reset() {
  FakeState& state = fake_state();
  const std::scoped_lock hold(state.lock);
  state.devices.clear();
  state.live.clear();
  state.qps.clear();
  state.regions.clear();
  state.violations.clear();
  state.signalled_sends = 0;
  state.filter = nullptr;
  state.calls_until_fault = 0;
  state.fault_used = false;
  state.remote_access_expected = false;
  state.ticks_per_completion = 1000;
}

FakeDevice& FakeVerbs::add_device(const std::string& name, const core::Gid& gid) {
  FakeState& state = fake_state();
  const std::scoped_lock hold(state.lock);
  FakeDevice& device = state.devices.emplace_back();
  device.name = name;
  device.node_guid = 0x0100000000000000 * state.devices.size();
  device.gids.push_back({.index = 1, .gid = gid});
  return device;
}

void FakeVerbs::fail_nth(int n, int error) {
  const std::scoped_lock hold(fake_state().lock);
  fake_state().calls_until_fault = n;
  fake_state().fault_error = error;
  fake_state().fault_used = false;
}

bool FakeVerbs::fault_used() const {
  const std::scoped_lock hold(fake_state().lock);
  return fake_state().fault_used;
}

std::vector<std::string> FakeVerbs::live_objects() const {
  const std::scoped_lock hold(fake_state().lock);
  std::vector<std::string> kinds;
  for (const auto& [object, kind] : fake_state().live) kinds.push_back(kind);
  std::ranges::sort(kinds);
  return kinds;
}

std::uint64_t FakeVerbs::signalled_sends() const {
  const std::scoped_lock hold(fake_state().lock);
  return fake_state().signalled_sends;
}

std::vector<std::string> FakeVerbs::violations() const {
  const std::scoped_lock hold(fake_state().lock);
  return fake_state().violations;
}

void FakeVerbs::set_filter(Filter filter) {
  const std::scoped_lock hold(fake_state().lock);
  fake_state().filter = std::move(filter);
}

void FakeVerbs::expect_remote_access() {
  const std::scoped_lock hold(fake_state().lock);
  fake_state().remote_access_expected = true;
}

void FakeVerbs::set_ticks_per_completion(std::uint64_t ticks) {
  const std::scoped_lock hold(fake_state().lock);
  fake_state().ticks_per_completion = ticks;
}

void FakeState::raise(const std::string& device, const ibv_async_event& event,
                      const ibv_context* context) {
  const std::scoped_lock hold(lock);
  for (const auto& [object, kind] : live) {
    if (kind != "context") continue;
    auto* fake = static_cast<FakeContext*>(object);
    const bool concerned = context == nullptr || context == &fake->verbs.context;
    if (fake->device->name != device || !concerned) continue;
    fake->events.push_back(event);
    signal(fake->verbs.context.async_fd);
  }
}

void FakeVerbs::raise(const std::string& device, ibv_event_type type) {
  ibv_async_event event{};
  event.event_type = type;
  fake_state().raise(device, event, nullptr);
}

void FakeVerbs::raise_port(const std::string& device, ibv_event_type type, int port) {
  ibv_async_event event{};
  event.event_type = type;
  event.element.port_num = port;
  fake_state().raise(device, event, nullptr);
}

void FakeVerbs::raise_qp(const std::string& device, ibv_event_type type, std::uint32_t qpn) {
  ibv_async_event event{};
  event.event_type = type;
  const std::scoped_lock hold(fake_state().lock);
  for (FakeQp* qp : fake_state().qps) {
    if (qp->qp.qp_num == qpn) event.element.qp = &qp->qp;
  }
  if (event.element.qp != nullptr) fake_state().raise(device, event, event.element.qp->context);
}

bool FakeVerbs::inject(const FakeDatagram& datagram) {
  const std::scoped_lock hold(fake_state().lock);
  return fake_state().deliver(datagram, nullptr);
}

}  // namespace rdmadiag::test
