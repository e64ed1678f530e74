#include "tests/support/fake_rdma_cm.h"

#include <endian.h>
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

#include "tests/support/fake_verbs_state.h"

namespace rdmadiag::test {
namespace {

struct FakeId;

struct FakeEvent {
  rdma_cm_event event{};
  std::vector<std::byte> data;
};

struct FakeEventChannel {
  rdma_event_channel channel{};
  std::deque<FakeEvent*> events;
};

struct FakeId {
  rdma_cm_id id{};
  std::uint16_t port = 0;
  std::uint16_t target_port = 0;
  bool listening = false;
  std::uint32_t qpn = 0;
  FakeId* other = nullptr;
  int events_out = 0;  // taken, not acknowledged
};

struct State {
  std::set<FakeId*> ids;
  std::uint16_t next_port = 40'000;
  bool unreachable = false;
  int rejected = 0;
  int traffic_class = -1;
  ibv_context* context = nullptr;
};

State& state() {
  static State only;
  return only;
}

FakeId* fake(rdma_cm_id* id) { return reinterpret_cast<FakeId*>(id); }

int failure() {
  if (!fake_state().fails()) return 0;
  return -1;
}

void raise(FakeId* id, rdma_cm_event_type type, int status = 0, std::vector<std::byte> data = {}) {
  auto* event = new FakeEvent;
  event->data = std::move(data);
  event->event.event = type;
  event->event.id = &id->id;
  event->event.status = status;
  event->event.param.conn.private_data = event->data.data();
  event->event.param.conn.private_data_len = static_cast<std::uint8_t>(event->data.size());
  auto* channel = reinterpret_cast<FakeEventChannel*>(id->id.channel);
  channel->events.push_back(event);
  const std::uint64_t one = 1;
  if (::write(channel->channel.fd, &one, sizeof(one)) < 0) fake_state().violate("eventfd");
}

FakeId* make_id(rdma_event_channel* channel, void* context) {
  auto* made = new FakeId;
  made->id.channel = channel;
  made->id.context = context;
  state().ids.insert(made);
  fake_state().add(made, "cm id");
  return made;
}

FakeId* listener_on(std::uint16_t port) {
  const auto found = std::ranges::find_if(
      state().ids, [port](const FakeId* id) { return id->listening && id->port == port; });
  return found == state().ids.end() ? nullptr : *found;
}

FakeQp* queue_pair(std::uint32_t qpn) {
  for (FakeQp* qp : fake_state().qps) {
    if (qp->qp.qp_num == qpn) return qp;
  }
  return nullptr;
}

// As MPA leaves both queue pairs.
void join(FakeQp& from, FakeQp& to) {
  from.remote_qpn = to.qp.qp_num;
  from.remote_gid = to.context->device->gids.at(0).gid;
  from.gid_index = from.context->device->gids.at(0).index;
  from.qp.state = IBV_QPS_RTS;
}

std::uint16_t port_of(const sockaddr* address) {
  sockaddr_in in{};
  std::memcpy(&in, address, sizeof(in));
  return ntohs(in.sin_port);  // stands at the same place in a sockaddr_in6
}

std::vector<std::byte> bytes_of(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  return {bytes, bytes + size};
}

void call(FakeId* caller, std::uint16_t port, std::vector<std::byte> data) {
  FakeId* listener = listener_on(port);
  if (listener == nullptr) {
    if (caller != nullptr) raise(caller, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
    return;
  }
  FakeId* callee = make_id(listener->id.channel, listener->id.context);
  callee->other = caller;
  if (caller != nullptr) caller->other = callee;
  raise(callee, RDMA_CM_EVENT_CONNECT_REQUEST, 0, std::move(data));
}

}  // namespace

FakeRdmaCm& FakeRdmaCm::instance() {
  static FakeRdmaCm only;
  return only;
}

void FakeRdmaCm::reset() { state() = {}; }
void FakeRdmaCm::set_context(ibv_context* context) { state().context = context; }
void FakeRdmaCm::set_unreachable(bool unreachable) { state().unreachable = unreachable; }
int FakeRdmaCm::rejected() const { return state().rejected; }
int FakeRdmaCm::traffic_class() const { return state().traffic_class; }

void FakeRdmaCm::hang_up() {
  for (FakeId* id : state().ids) {
    if (id->other != nullptr) raise(id, RDMA_CM_EVENT_DISCONNECTED);
  }
}

void FakeRdmaCm::call_as_stranger(std::uint16_t port, std::uint64_t token) {
  const std::uint64_t big_endian = htobe64(token);
  call(nullptr, port, bytes_of(&big_endian, sizeof(big_endian)));
}

}  // namespace rdmadiag::test

using namespace rdmadiag::test;

extern "C" {

rdma_event_channel* rdma_create_event_channel() {
  if (failure() != 0) return nullptr;
  auto* made = new FakeEventChannel;
  made->channel.fd = ::eventfd(0, EFD_CLOEXEC);
  fake_state().add(made, "cm channel");
  return &made->channel;
}

void rdma_destroy_event_channel(rdma_event_channel* channel) {
  auto* fake_channel = reinterpret_cast<FakeEventChannel*>(channel);
  for (const FakeId* id : state().ids) {
    if (id->id.channel == channel) fake_state().violate("channel destroyed before its ids");
  }
  for (FakeEvent* event : fake_channel->events) delete event;
  ::close(channel->fd);
  fake_state().remove(fake_channel, "cm channel");
  delete fake_channel;
}

int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space) {
  if (failure() != 0) return -1;
  *id = &make_id(channel, context)->id;
  return 0;
}

int rdma_destroy_id(rdma_cm_id* id) {
  FakeId* gone = fake(id);
  if (gone->events_out != 0) fake_state().violate("id destroyed under an event: blocks for ever");
  auto& events = reinterpret_cast<FakeEventChannel*>(id->channel)->events;
  std::erase_if(events, [id](FakeEvent* event) {
    if (event->event.id != id) return false;
    delete event;
    return true;
  });
  if (gone->other != nullptr) {
    gone->other->other = nullptr;
    const bool was_up = gone->qpn != 0 && gone->other->qpn != 0 && gone->port == 0;
    raise(gone->other, was_up ? RDMA_CM_EVENT_DISCONNECTED : RDMA_CM_EVENT_REJECTED);
  }
  state().ids.erase(gone);
  fake_state().remove(gone, "cm id");
  delete gone;
  return 0;
}

int rdma_bind_addr(rdma_cm_id* id, sockaddr*) {
  if (failure() != 0) return -1;
  fake(id)->port = state().next_port++;
  id->verbs = state().context;
  return 0;
}

int rdma_listen(rdma_cm_id* id, int) {
  if (failure() != 0) return -1;
  fake(id)->listening = true;
  return 0;
}

__be16 rdma_get_src_port(rdma_cm_id* id) { return htons(fake(id)->port); }

int rdma_set_option(rdma_cm_id*, int, int option, void* value, std::size_t) {
  if (failure() != 0) return -1;
  if (option == RDMA_OPTION_ID_TOS) state().traffic_class = *static_cast<std::uint8_t*>(value);
  return 0;
}

int rdma_resolve_addr(rdma_cm_id* id, sockaddr* source, sockaddr* target, int) {
  if (failure() != 0) return -1;
  if (source->sa_family != target->sa_family) fake_state().violate("mixed address families");
  fake(id)->target_port = port_of(target);
  if (state().unreachable) {
    raise(fake(id), RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
  } else {
    raise(fake(id), RDMA_CM_EVENT_ADDR_RESOLVED);
  }
  return 0;
}

int rdma_resolve_route(rdma_cm_id* id, int) {
  if (failure() != 0) return -1;
  raise(fake(id), RDMA_CM_EVENT_ROUTE_RESOLVED);
  return 0;
}

int rdma_connect(rdma_cm_id* id, rdma_conn_param* parameters) {
  if (failure() != 0) return -1;
  fake(id)->qpn = parameters->qp_num;
  call(fake(id), fake(id)->target_port,
       bytes_of(parameters->private_data, parameters->private_data_len));
  return 0;
}

int rdma_accept(rdma_cm_id* id, rdma_conn_param* parameters) {
  if (failure() != 0) return -1;
  FakeId* callee = fake(id);
  callee->qpn = parameters->qp_num;
  if (callee->other == nullptr) return 0;
  FakeQp* passive = queue_pair(callee->qpn);
  FakeQp* active = queue_pair(callee->other->qpn);
  if (passive == nullptr || active == nullptr || passive->qp.state != IBV_QPS_INIT ||
      active->qp.state != IBV_QPS_INIT) {
    errno = EINVAL;
    return -1;
  }
  join(*passive, *active);
  join(*active, *passive);
  raise(callee, RDMA_CM_EVENT_ESTABLISHED);
  raise(callee->other, RDMA_CM_EVENT_ESTABLISHED);
  return 0;
}

int rdma_reject(rdma_cm_id* id, const void*, std::uint8_t) {
  ++state().rejected;
  FakeId* callee = fake(id);
  if (callee->other == nullptr) return 0;
  raise(callee->other, RDMA_CM_EVENT_REJECTED, 28);
  callee->other->other = nullptr;
  callee->other = nullptr;
  return 0;
}

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  auto* fake_channel = reinterpret_cast<FakeEventChannel*>(channel);
  if ((::fcntl(channel->fd, F_GETFL) & O_NONBLOCK) == 0) {
    fake_state().violate("the events of rdma_cm would block");
  }
  if (fake_channel->events.empty()) {
    std::uint64_t count = 0;
    if (::read(channel->fd, &count, sizeof(count)) < 0) errno = EAGAIN;
    errno = EAGAIN;
    return -1;
  }
  *event = &fake_channel->events.front()->event;
  fake_channel->events.pop_front();
  ++fake((*event)->id)->events_out;
  return 0;
}

int rdma_ack_cm_event(rdma_cm_event* event) {
  --fake(event->id)->events_out;
  delete reinterpret_cast<FakeEvent*>(event);
  return 0;
}

const char* rdma_event_str(rdma_cm_event_type type) {
  switch (type) {
    case RDMA_CM_EVENT_REJECTED: return "RDMA_CM_EVENT_REJECTED";
    case RDMA_CM_EVENT_ADDR_ERROR: return "RDMA_CM_EVENT_ADDR_ERROR";
    default: return "another event";
  }
}

}  // extern "C"
