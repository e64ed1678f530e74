// The functions of libibverbs, over FakeState.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tests/support/fake_verbs_state.h"

#undef ibv_get_device_list
#undef ibv_reg_mr
#undef ibv_query_port

using namespace rdmadiag::test;

namespace {

using Hold = std::scoped_lock<std::recursive_mutex>;

FakeContext* context_of(ibv_context* context) {
  return reinterpret_cast<FakeContext*>(verbs_get_ctx(context));
}

void drain(int fd) {
  std::uint64_t count = 0;
  if (::read(fd, &count, sizeof(count)) < 0) return;
}

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attributes,
               std::size_t size) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return errno;
  if (port != 1) return EINVAL;
  const FakeDevice& device = *context_of(context)->device;
  std::memset(attributes, 0, size);
  attributes->state = device.state;
  attributes->active_mtu = device.active_mtu;
  attributes->max_mtu = IBV_MTU_4096;
  attributes->lid = device.lid;
  attributes->gid_tbl_len = 16;
  attributes->link_layer = device.link_layer;
  return 0;
}

int query_device_ex(ibv_context* context, const ibv_query_device_ex_input*,
                    ibv_device_attr_ex* attributes, std::size_t size) {
  const Hold hold(fake_state().lock);
  const FakeDevice& device = *context_of(context)->device;
  std::memset(attributes, 0, size);
  attributes->orig_attr.vendor_id = device.vendor;
  attributes->completion_timestamp_mask = device.timestamp_mask;
  attributes->hca_core_clock = device.kilohertz;
  return 0;
}

int poll_cq(ibv_cq* queue, int wanted, ibv_wc* out) {
  const Hold hold(fake_state().lock);
  auto* fake = reinterpret_cast<FakeCq*>(queue);
  int count = 0;
  while (count < wanted && !fake->completions.empty()) {
    out[count] = fake->completions.front().wc;
    fake->completions.pop_front();
    for (FakeQp* qp : fake_state().qps) {
      if (qp->qp.qp_num == out[count].qp_num && (out[count].opcode & IBV_WC_RECV) == 0) {
        --qp->sends_in_flight;
      }
    }
    ++count;
  }
  return count;
}

int next_poll(ibv_cq_ex* queue) {
  auto* fake = reinterpret_cast<FakeCq*>(queue);
  const Hold hold(fake_state().lock);
  if (fake->completions.empty()) return ENOENT;
  const std::uint64_t ticks = fake->completions.front().ticks;
  poll_cq(reinterpret_cast<ibv_cq*>(queue), 1, &fake->current.wc);
  fake->current.ticks = ticks;
  queue->wr_id = fake->current.wc.wr_id;
  queue->status = fake->current.wc.status;
  return 0;
}

int start_poll(ibv_cq_ex* queue, ibv_poll_cq_attr*) {
  auto* fake = reinterpret_cast<FakeCq*>(queue);
  if (fake->polling) fake_state().violate("start_poll twice");
  const int error = next_poll(queue);
  fake->polling = error == 0;
  return error;
}

void end_poll(ibv_cq_ex* queue) {
  auto* fake = reinterpret_cast<FakeCq*>(queue);
  if (!fake->polling) fake_state().violate("end_poll without a poll");
  fake->polling = false;
}

const ibv_wc& current(ibv_cq_ex* queue) { return reinterpret_cast<FakeCq*>(queue)->current.wc; }

int req_notify(ibv_cq* queue, int) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return errno;
  reinterpret_cast<FakeCq*>(queue)->armed = true;
  return 0;
}

int post_send(ibv_qp* qp, ibv_send_wr* request, ibv_send_wr** bad) {
  const Hold hold(fake_state().lock);
  *bad = request;
  if (fake_state().fails()) return errno;
  return fake_state().post_send(*reinterpret_cast<FakeQp*>(qp), *request);
}

int post_recv(ibv_qp* qp, ibv_recv_wr* request, ibv_recv_wr** bad) {
  const Hold hold(fake_state().lock);
  *bad = request;
  if (fake_state().fails()) return errno;
  auto* fake = reinterpret_cast<FakeQp*>(qp);
  if (qp->state == IBV_QPS_RESET) return EINVAL;
  if (fake->receives.size() >= fake->caps.max_recv_wr) return ENOMEM;
  fake->receives.push_back(
      {request->wr_id, {request->sg_list, request->sg_list + request->num_sge}});
  return 0;
}

FakeCq* make_cq(ibv_context* context, int entries, ibv_comp_channel* channel) {
  auto* fake = new FakeCq;
  fake->cq.context = context;
  fake->cq.channel = channel;
  fake->depth = static_cast<std::size_t>(entries);
  fake_state().add(fake, "cq");
  return fake;
}

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attributes) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  FakeCq* fake = make_cq(context, static_cast<int>(attributes->cqe), attributes->channel);
  ibv_cq_ex& cq = fake->cq;
  cq.start_poll = start_poll;
  cq.next_poll = next_poll;
  cq.end_poll = end_poll;
  cq.read_qp_num = [](ibv_cq_ex* queue) { return current(queue).qp_num; };
  cq.read_byte_len = [](ibv_cq_ex* queue) { return current(queue).byte_len; };
  cq.read_src_qp = [](ibv_cq_ex* queue) { return current(queue).src_qp; };
  cq.read_slid = [](ibv_cq_ex* queue) { return std::uint32_t{current(queue).slid}; };
  cq.read_vendor_err = [](ibv_cq_ex* queue) { return current(queue).vendor_err; };
  cq.read_completion_ts = [](ibv_cq_ex* queue) {
    return reinterpret_cast<FakeCq*>(queue)->current.ticks;
  };
  return &cq;
}

void fill(FakeContext& context, FakeDevice& device) {
  context.device = &device;
  context.verbs.sz = sizeof(verbs_context);
  context.verbs.query_port = query_port;
  context.verbs.query_device_ex = query_device_ex;
  context.verbs.create_cq_ex = create_cq_ex;
  ibv_context& plain = context.verbs.context;
  plain.device = &device.device;
  plain.abi_compat = __VERBS_ABI_IS_EXTENDED;
  plain.async_fd = ::eventfd(0, EFD_CLOEXEC);
  plain.ops.poll_cq = poll_cq;
  plain.ops.req_notify_cq = req_notify;
  plain.ops.post_send = post_send;
  plain.ops.post_recv = post_recv;
}

// What each step must set, neither more nor less: ibv_modify_qp(3).
int required_mask(const ibv_qp& qp, ibv_qp_state to) {
  const ibv_qp_type type = qp.qp_type;
  const ibv_qp_state from = qp.state;
  if (to == IBV_QPS_INIT && from == IBV_QPS_RESET) {
    if (context_of(qp.context)->device->transport == IBV_TRANSPORT_IWARP) {
      return IBV_QP_STATE | IBV_QP_ACCESS_FLAGS;
    }
    return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
           (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
  }
  if (to == IBV_QPS_RTR && from == IBV_QPS_INIT) {
    return type == IBV_QPT_UD
               ? IBV_QP_STATE
               : IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                     (type == IBV_QPT_RC ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0);
  }
  if (to == IBV_QPS_RTS && from == IBV_QPS_RTR) {
    return type != IBV_QPT_RC ? IBV_QP_STATE | IBV_QP_SQ_PSN
                              : IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC |
                                    IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY;
  }
  return to == IBV_QPS_ERR ? IBV_QP_STATE : -1;
}

// What the kernel looks at when it takes a connection to RTR.
int check_address(FakeQp& qp, const ibv_qp_attr& attributes) {
  const FakeDevice& device = *qp.context->device;
  const auto& grh = attributes.ah_attr.grh;
  const bool known = std::ranges::any_of(
      device.gids, [&](const FakeGid& entry) { return entry.index == grh.sgid_index; });
  if (!known || attributes.path_mtu > device.active_mtu) return EINVAL;
  if (device.state != IBV_PORT_ACTIVE) return EINVAL;
  std::memcpy(qp.remote_gid.data(), grh.dgid.raw, qp.remote_gid.size());
  const bool reachable = std::ranges::any_of(fake_state().devices, [&](const FakeDevice& other) {
    return std::ranges::any_of(other.gids,
                               [&](const FakeGid& entry) { return entry.gid == qp.remote_gid; });
  });
  return reachable ? 0 : ENETUNREACH;
}

int apply(FakeQp& qp, const ibv_qp_attr& attributes) {
  if (attributes.qp_state == IBV_QPS_INIT) {
    if (attributes.qp_access_flags != 0 && !fake_state().remote_access_expected) {
      fake_state().violate("remote access was granted");
    }
    qp.access = attributes.qp_access_flags;
    qp.qkey = attributes.qkey;
  }
  if (attributes.qp_state == IBV_QPS_RTR && qp.qp.qp_type != IBV_QPT_UD) {
    if (const int error = check_address(qp, attributes); error != 0) return error;
    qp.remote_qpn = attributes.dest_qp_num;
    qp.rq_psn = attributes.rq_psn;
    qp.gid_index = attributes.ah_attr.grh.sgid_index;
  }
  if (attributes.qp_state == IBV_QPS_RTS) qp.sq_psn = attributes.sq_psn;
  qp.qp.state = attributes.qp_state;
  return 0;
}

bool in_use(auto predicate) {
  return std::ranges::any_of(
      fake_state().live, [&](const auto& entry) { return predicate(entry.first, entry.second); });
}

template <class Fake>
int release(Fake* object, const char* kind) {
  fake_state().remove(object, kind);
  delete object;
  return 0;
}

}  // namespace

extern "C" {

ibv_device** ibv_get_device_list(int* count) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  auto& devices = fake_state().devices;
  auto** list = new ibv_device*[devices.size() + 1];
  *count = 0;
  for (FakeDevice& device : devices) {
    device.device.transport_type = device.transport;
    std::snprintf(device.device.name, sizeof(device.device.name), "%s", device.name.c_str());
    std::snprintf(device.device.dev_path, sizeof(device.device.dev_path), "%s",
                  device.path.c_str());
    list[(*count)++] = &device.device;
  }
  list[*count] = nullptr;
  fake_state().add(list, "device list");
  return list;
}

void ibv_free_device_list(ibv_device** list) {
  const Hold hold(fake_state().lock);
  fake_state().remove(list, "device list");
  delete[] list;
}

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

__be64 ibv_get_device_guid(ibv_device* device) {
  for (const FakeDevice& fake : fake_state().devices) {
    if (&fake.device == device) return fake.node_guid;
  }
  return 0;
}

ibv_context* ibv_open_device(ibv_device* device) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  for (FakeDevice& fake : fake_state().devices) {
    if (&fake.device != device) continue;
    auto* context = new FakeContext;
    fill(*context, fake);
    fake_state().add(context, "context");
    return &context->verbs.context;
  }
  errno = ENODEV;
  return nullptr;
}

int ibv_close_device(ibv_context* context) {
  const Hold hold(fake_state().lock);
  FakeContext* fake = context_of(context);
  const bool busy = in_use([&](void* object, const std::string& kind) {
    return (kind == "pd" && static_cast<ibv_pd*>(object)->context == context) ||
           (kind == "cq" && static_cast<ibv_cq*>(object)->context == context) ||
           (kind == "channel" && static_cast<ibv_comp_channel*>(object)->context == context);
  });
  if (busy) fake_state().violate("context closed before its objects");
  ::close(context->async_fd);
  return release(fake, "context");
}

int ibv_query_device(ibv_context*, ibv_device_attr*) { return EOPNOTSUPP; }
int ibv_query_port(ibv_context*, std::uint8_t, _compat_ibv_port_attr*) { return EOPNOTSUPP; }

ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries, std::size_t max,
                             std::uint32_t, std::size_t) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return -errno;
  std::size_t count = 0;
  for (const FakeGid& gid : context_of(context)->device->gids) {
    if (count == max) return -ENOSPC;
    ibv_gid_entry& entry = entries[count++];
    entry = {};
    std::memcpy(entry.gid.raw, gid.gid.data(), gid.gid.size());
    entry.gid_index = gid.index;
    entry.port_num = 1;
    entry.gid_type = gid.type;
  }
  return static_cast<ssize_t>(count);
}

int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  {
    const Hold hold(fake_state().lock);
    FakeContext* fake = context_of(context);
    if (!fake->events.empty()) {
      *event = fake->events.front();
      fake->events.pop_front();
      return 0;
    }
    if ((::fcntl(context->async_fd, F_GETFL) & O_NONBLOCK) == 0) {
      fake_state().violate("the async descriptor would block");
    }
  }
  drain(context->async_fd);
  errno = EAGAIN;
  return -1;
}

void ibv_ack_async_event(ibv_async_event*) {}

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  auto* pd = new ibv_pd{};
  pd->context = context;
  fake_state().add(pd, "pd");
  return pd;
}

int ibv_dealloc_pd(ibv_pd* pd) {
  const Hold hold(fake_state().lock);
  const bool busy = in_use([&](void* object, const std::string& kind) {
    return (kind == "mr" && static_cast<ibv_mr*>(object)->pd == pd) ||
           (kind == "ah" && static_cast<ibv_ah*>(object)->pd == pd) ||
           (kind == "qp" && static_cast<ibv_qp*>(object)->pd == pd);
  });
  if (busy) fake_state().violate("pd deallocated before its objects");
  return release(pd, "pd");
}

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, std::size_t length, int access) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  if ((access & ~IBV_ACCESS_LOCAL_WRITE) != 0 && !fake_state().remote_access_expected) {
    fake_state().violate("memory opened to others");
  }
  auto* region = new ibv_mr{};
  region->context = pd->context;
  region->pd = pd;
  region->addr = address;
  region->length = length;
  region->lkey = fake_state().next_key++;
  region->rkey = region->lkey + 0x10000;
  fake_state().regions.emplace(region, access);
  fake_state().add(region, "mr");
  return region;
}

// What the ibv_reg_mr of the header calls when it cannot tell the access flags while compiling.
ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, std::size_t length, std::uint64_t,
                         unsigned access) {
  return ibv_reg_mr(pd, address, length, static_cast<int>(access));
}

int ibv_dereg_mr(ibv_mr* region) {
  const Hold hold(fake_state().lock);
  for (const FakeQp* qp : fake_state().qps) {
    for (const FakeReceive& receive : qp->receives) {
      for (const ibv_sge& segment : receive.segments) {
        if (segment.lkey == region->lkey && qp->qp.pd == region->pd) {
          fake_state().violate("memory deregistered under a posted receive");
        }
      }
    }
  }
  fake_state().regions.erase(region);
  return release(region, "mr");
}

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  auto* fake = new FakeChannel;
  fake->channel.context = context;
  fake->channel.fd = ::eventfd(0, EFD_CLOEXEC);
  fake_state().add(fake, "channel");
  return &fake->channel;
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  const Hold hold(fake_state().lock);
  const bool busy = in_use([&](void* object, const std::string& kind) {
    return kind == "cq" && static_cast<ibv_cq*>(object)->channel == channel;
  });
  if (busy) fake_state().violate("channel destroyed before its queue");
  ::close(channel->fd);
  return release(reinterpret_cast<FakeChannel*>(channel), "channel");
}

int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** queue, void** context) {
  const Hold hold(fake_state().lock);
  auto* fake = reinterpret_cast<FakeChannel*>(channel);
  if ((::fcntl(channel->fd, F_GETFL) & O_NONBLOCK) == 0) {
    fake_state().violate("the completion channel would block");
  }
  if (fake->events.empty()) {
    drain(channel->fd);
    errno = EAGAIN;
    return -1;
  }
  *queue = fake->events.front();
  *context = nullptr;
  fake->events.pop_front();
  ++reinterpret_cast<FakeCq*>(*queue)->unacknowledged;
  return 0;
}

void ibv_ack_cq_events(ibv_cq* queue, unsigned count) {
  const Hold hold(fake_state().lock);
  reinterpret_cast<FakeCq*>(queue)->unacknowledged -= count;
}

ibv_cq* ibv_create_cq(ibv_context* context, int entries, void*, ibv_comp_channel* channel, int) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  return reinterpret_cast<ibv_cq*>(make_cq(context, entries, channel));
}

int ibv_destroy_cq(ibv_cq* queue) {
  const Hold hold(fake_state().lock);
  auto* fake = reinterpret_cast<FakeCq*>(queue);
  const bool busy = in_use([&](void* object, const std::string& kind) {
    return kind == "qp" && (static_cast<ibv_qp*>(object)->send_cq == queue ||
                            static_cast<ibv_qp*>(object)->recv_cq == queue);
  });
  if (busy) fake_state().violate("cq destroyed before its queue pairs");
  if (fake->unacknowledged != 0) fake_state().violate("cq destroyed with events unacknowledged");
  if (queue->channel != nullptr) {
    std::erase(reinterpret_cast<FakeChannel*>(queue->channel)->events, queue);
  }
  return release(fake, "cq");
}

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* attributes) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  FakeContext* context = context_of(pd->context);
  if (attributes->cap.max_inline_data > context->device->max_inline) {
    errno = EINVAL;
    return nullptr;
  }
  // Soft-RoCE gives the room its segments take, asked for or not.
  attributes->cap.max_inline_data =
      std::min(context->device->max_inline,
               std::max(attributes->cap.max_inline_data, attributes->cap.max_send_sge * 16));
  auto* fake = new FakeQp;
  fake->context = context;
  fake->caps = attributes->cap;
  fake->qp.context = pd->context;
  fake->qp.pd = pd;
  fake->qp.send_cq = attributes->send_cq;
  fake->qp.recv_cq = attributes->recv_cq;
  fake->qp.qp_num = fake_state().next_qpn++;
  fake->qp.qp_type = attributes->qp_type;
  fake->qp.state = IBV_QPS_RESET;
  fake->signals_all = attributes->sq_sig_all != 0;
  fake_state().qps.insert(fake);
  fake_state().add(fake, "qp");
  errno = ENOSPC;  // as rxe leaves it behind
  return &fake->qp;
}

int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return errno;
  if (mask != required_mask(*qp, attributes->qp_state)) {
    fake_state().violate("wrong attribute mask");
    return EINVAL;
  }
  return apply(*reinterpret_cast<FakeQp*>(qp), *attributes);
}

int ibv_destroy_qp(ibv_qp* qp) {
  const Hold hold(fake_state().lock);
  auto* fake = reinterpret_cast<FakeQp*>(qp);
  fake_state().qps.erase(fake);
  return release(fake, "qp");
}

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attributes) {
  const Hold hold(fake_state().lock);
  if (fake_state().fails()) return nullptr;
  auto* fake = new FakeAh;
  fake->ah.context = pd->context;
  fake->ah.pd = pd;
  fake->attributes = *attributes;
  fake_state().add(fake, "ah");
  return &fake->ah;
}

int ibv_destroy_ah(ibv_ah* address) {
  const Hold hold(fake_state().lock);
  return release(reinterpret_cast<FakeAh*>(address), "ah");
}

const char* ibv_wc_status_str(ibv_wc_status status) {
  return status == IBV_WC_RETRY_EXC_ERR ? "transport retry counter exceeded" : "completion error";
}

}  // extern "C"
