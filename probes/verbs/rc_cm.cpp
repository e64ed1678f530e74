#include "probes/verbs/rc_cm.h"

#include <endian.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "agent/core/gid.h"
#include "agent/core/unique_fd.h"

namespace rdmadiag::probes {
namespace {

constexpr int kResolveMilliseconds = 2000;
constexpr int kBacklog = 64;
constexpr std::size_t kBatch = 32;

// Both fit a sockaddr_storage.
sockaddr_storage socket_address(const core::Gid& gid, std::uint16_t port) {
  sockaddr_storage storage{};
  if (core::is_ipv4_mapped(gid)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    std::memcpy(&address.sin_addr, gid.data() + 12, 4);
    std::memcpy(&storage, &address, sizeof(address));
  } else {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    std::memcpy(&address.sin6_addr, gid.data(), gid.size());
    std::memcpy(&storage, &address, sizeof(address));
  }
  return storage;
}

sockaddr* generic(sockaddr_storage& storage) { return reinterpret_cast<sockaddr*>(&storage); }

// The context of an id is the number of its connection.
void* to_context(RcConnectionId id) {
  return reinterpret_cast<void*>(std::uintptr_t{id});  // NOLINT(performance-no-int-to-ptr)
}
RcConnectionId from_context(const void* context) {
  return static_cast<RcConnectionId>(reinterpret_cast<std::uintptr_t>(context));
}

rdma_conn_param connection_parameters(std::uint32_t qpn, const RcTuning& tuning,
                                      const std::uint64_t& token_big_endian) {
  rdma_conn_param parameters{};
  parameters.qp_num = qpn;
  parameters.responder_resources = tuning.reads_in_flight;
  parameters.initiator_depth = tuning.reads_in_flight;
  parameters.private_data = &token_big_endian;
  parameters.private_data_len = sizeof(token_big_endian);
  return parameters;
}

// For a context of librdmacm, which closes its descriptors one day: till then they lead nowhere,
// and the kernel may close what they led to.
void abandon(const ibv_context& context) {
  const core::UniqueFd nowhere(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!nowhere) return;
  ::dup3(nowhere.get(), context.cmd_fd, O_CLOEXEC);
  ::dup3(nowhere.get(), context.async_fd, O_CLOEXEC);
}

// A status is a negative errno, or on REJECTED what the transport has as a reason.
std::string describe(rdma_cm_event_type type, int status) {
  if (type == RDMA_CM_EVENT_DISCONNECTED) return "the peer hung up";
  if (type == RDMA_CM_EVENT_DEVICE_REMOVAL) return "the device is being removed";
  std::string text = ::rdma_event_str(type);
  if (status < 0) return text + ": " + std::generic_category().message(-status);
  return status > 0 ? text + " (status " + std::to_string(status) + ")" : text;
}

}  // namespace

CmConnector::CmConnector(RandomSource random, AddressOfGid address_of, Channel channel)
    : random_(std::move(random)),
      address_of_(std::move(address_of)),
      channel_(std::move(channel)) {}

core::Result<std::unique_ptr<CmConnector>> CmConnector::create(RandomSource random,
                                                               AddressOfGid address_of) {
  Channel channel(::rdma_create_event_channel());
  if (!channel) return core::errno_error(errno, "rdma_create_event_channel");
  const int flags = ::fcntl(channel->fd, F_GETFL);
  if (flags < 0 || ::fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    return core::errno_error(errno, "making the events of rdma_cm non-blocking");
  }
  return std::unique_ptr<CmConnector>(
      new CmConnector(std::move(random), std::move(address_of), std::move(channel)));
}

// While the ids are there: they keep the context from being freed.
CmConnector::~CmConnector() {
  if (holder_ && holder_->verbs != nullptr && !node_.still_there()) abandon(*holder_->verbs);
}

core::Result<CmConnector::CmId> CmConnector::new_id(RcConnectionId id) const {
  rdma_cm_id* made = nullptr;
  if (::rdma_create_id(channel_.get(), &made, to_context(id), RDMA_PS_TCP) != 0) {
    return core::errno_error(errno, "rdma_create_id");
  }
  return CmId(made);
}

core::Result<CmConnector::CmId> CmConnector::bind(const core::Gid& address) const {
  auto id = new_id(0);
  if (!id) return id;
  sockaddr_storage any_port = socket_address(address, 0);
  if (::rdma_bind_addr(id->get(), generic(any_port)) != 0) {
    return core::errno_error(errno, "rdma_bind_addr to " + core::format_gid(address));
  }
  return id;
}

core::Status CmConnector::hold_device(const core::Gid& address) {
  if (holder_) return {};
  auto id = bind(address);
  if (!id) return tl::make_unexpected(id.error());
  holder_ = std::move(*id);
  if (holder_->verbs != nullptr) node_ = DeviceNode(*holder_->verbs->device);
  return {};
}

core::Status CmConnector::listen(const core::Gid& address) {
  if (listener_ && listening_on_ == address) return {};
  listener_.reset();
  auto id = bind(address);
  if (!id) return tl::make_unexpected(id.error());
  if (::rdma_listen(id->get(), kBacklog) != 0) return core::errno_error(errno, "rdma_listen");
  listener_ = std::move(*id);
  listening_on_ = address;
  return {};
}

core::Status CmConnector::prepare(RcConnectionId id, ibv_qp* qp, const RcPort& port,
                                  const RcSetup& setup, int access, RcParameters& local) {
  if (setup.operation != RcOperation::kSend || setup.service != RcService::kReliable) {
    return core::fail("over iWARP there are only SEND probes on reliable connections");
  }
  const auto address = address_of_(port.gid.gid);
  if (!address) return tl::make_unexpected(address.error());
  if (auto held = hold_device(*address); !held) return held;
  Connection connection{.role = setup.role,
                        .qpn = qp->qp_num,
                        .token = 0,
                        .tuning = setup.tuning,
                        .address = *address,
                        .cm = nullptr};
  local.gid = *address;
  if (setup.role == RcRole::kAcceptor) {
    if (auto listening = listen(*address); !listening) return listening;
    while (connection.token == 0) {
      connection.token = std::uint64_t{random_()} << 32 | random_();
    }
    local.cm_port = ntohs(::rdma_get_src_port(listener_.get()));
    local.cm_token = connection.token;
  }
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.qp_access_flags = static_cast<unsigned>(access);
  if (const int error = ibv_modify_qp(qp, &attributes, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS);
      error != 0) {
    return core::errno_error(error, "iWARP queue pair RESET to INIT (qp_access_flags)");
  }
  connections_[id] = std::move(connection);
  return {};
}

core::Result<RcConnecting> CmConnector::connect(RcConnectionId id, ibv_qp* /*qp*/,
                                                const RcPort& /*port*/, const RcSetup& setup,
                                                const RcParameters& remote) {
  Connection& connection = connections_.at(id);
  if (connection.role == RcRole::kAcceptor) return RcConnecting::kPending;  // the peer calls
  if (remote.cm_port == 0 || remote.cm_token == 0) {
    return core::fail("the peer did not say where it listens");
  }
  auto cm = new_id(id);
  if (!cm) return tl::make_unexpected(cm.error());
  std::uint8_t traffic_class = setup.traffic_class;
  // Without it the class is the default one: no reason to give up.
  static_cast<void>(::rdma_set_option(cm->get(), RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &traffic_class,
                                      sizeof(traffic_class)));
  sockaddr_storage from = socket_address(connection.address, 0);
  sockaddr_storage to = socket_address(remote.gid, remote.cm_port);
  if (from.ss_family != to.ss_family) {
    return core::fail("one of both ends has only an IPv4 address, the other only an IPv6 one");
  }
  if (::rdma_resolve_addr(cm->get(), generic(from), generic(to), kResolveMilliseconds) != 0) {
    return core::errno_error(errno, "rdma_resolve_addr of " + core::format_gid(remote.gid));
  }
  connection.token = remote.cm_token;
  connection.cm = std::move(*cm);
  return RcConnecting::kPending;
}

std::optional<CmConnector::Event> CmConnector::take_event() const {
  rdma_cm_event* event = nullptr;
  if (::rdma_get_cm_event(channel_.get(), &event) != 0) return std::nullopt;
  Event taken{.type = event->event, .status = event->status, .id = event->id};
  std::uint64_t big_endian = 0;
  if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST && event->param.conn.private_data != nullptr &&
      event->param.conn.private_data_len >= sizeof(big_endian)) {
    std::memcpy(&big_endian, event->param.conn.private_data, sizeof(big_endian));
    taken.token = be64toh(big_endian);
  }
  ::rdma_ack_cm_event(event);
  return taken;
}

core::Result<std::size_t> CmConnector::poll(RcEvents& events) {
  std::size_t count = 0;
  while (count < kBatch) {
    const auto event = take_event();
    if (!event) break;
    handle(*event, events);
    ++count;
  }
  return count;
}

void CmConnector::handle(const Event& event, RcEvents& events) {
  if (event.type == RDMA_CM_EVENT_CONNECT_REQUEST) return handle_call(event);
  const RcConnectionId id = from_context(event.id->context);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  switch (event.type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      if (auto next = go_on(event, found->second); !next) events.broken(id, next.error().message());
      break;
    case RDMA_CM_EVENT_ESTABLISHED: events.connected(id); break;
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
    case RDMA_CM_EVENT_ADDR_CHANGE: break;
    default: events.broken(id, describe(event.type, event.status)); break;
  }
}

core::Status CmConnector::go_on(const Event& event, Connection& connection) {
  if (event.type == RDMA_CM_EVENT_ADDR_RESOLVED) {
    if (::rdma_resolve_route(event.id, kResolveMilliseconds) == 0) return {};
    return core::errno_error(errno, "rdma_resolve_route");
  }
  const std::uint64_t token = htobe64(connection.token);
  rdma_conn_param parameters = connection_parameters(connection.qpn, connection.tuning, token);
  if (::rdma_connect(event.id, &parameters) == 0) return {};
  return core::errno_error(errno, "rdma_connect");
}

// Whoever knows the token was told it over the control channel.
void CmConnector::handle_call(const Event& event) {
  CmId caller(event.id);
  const auto found = std::ranges::find_if(connections_, [&event](const auto& entry) {
    const Connection& connection = entry.second;
    return connection.role == RcRole::kAcceptor && !connection.cm && event.token != 0 &&
           connection.token == event.token;
  });
  if (found == connections_.end()) {
    ::rdma_reject(caller.get(), nullptr, 0);
    return;
  }
  caller->context = to_context(found->first);
  const std::uint64_t token = htobe64(event.token);
  rdma_conn_param parameters =
      connection_parameters(found->second.qpn, found->second.tuning, token);
  // On failure the caller is told as it is destroyed, and the connection goes when idle.
  if (::rdma_accept(caller.get(), &parameters) == 0) found->second.cm = std::move(caller);
}

}  // namespace rdmadiag::probes
