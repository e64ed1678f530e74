#include "probes/discovery/dns_resolver.h"

#include <ares.h>
#include <arpa/nameser.h>
#include <poll.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace rdmadiag::probes {
namespace {

constexpr int kTries = 2;
constexpr int kMostMilliseconds = 1000;

int initialise_once() {
  static std::once_flag once;
  static int status = ARES_SUCCESS;
  std::call_once(once, [] { status = ares_library_init(ARES_LIB_INIT_ALL); });
  return status;
}

core::Error ares_error(const std::string& doing, int status) {
  return {{}, doing + ": " + ares_strerror(status)};
}

// Waits for the channel's sockets, its own next time-out, or the stop.
void wait_for(ares_channel channel, const StopEvent& stop) {
  std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
  const int wanted = ares_getsock(channel, sockets.data(), static_cast<int>(sockets.size()));
  std::vector<pollfd> polled{{stop.fd(), POLLIN, 0}};
  for (int i = 0; i < ARES_GETSOCK_MAXNUM; ++i) {
    const int readable = ARES_GETSOCK_READABLE(wanted, i) != 0 ? POLLIN : 0;
    const int writable = ARES_GETSOCK_WRITABLE(wanted, i) != 0 ? POLLOUT : 0;
    if (readable == 0 && writable == 0) continue;
    polled.push_back(
        {sockets.at(static_cast<std::size_t>(i)), static_cast<short>(readable | writable), 0});
  }
  timeval most{kMostMilliseconds / 1000, 0};
  timeval next{};
  const timeval* time = ares_timeout(channel, &most, &next);
  poll(polled.data(), polled.size(),
       static_cast<int>(time->tv_sec * 1000 + time->tv_usec / 1000 + 1));
  if (polled.size() == 1) ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  for (std::size_t i = 1; i < polled.size(); ++i) {
    const bool in = (polled[i].revents & (POLLIN | POLLERR | POLLHUP)) != 0;
    const bool out = (polled[i].revents & POLLOUT) != 0;
    ares_process_fd(channel, in ? polled[i].fd : ARES_SOCKET_BAD,
                    out ? polled[i].fd : ARES_SOCKET_BAD);
  }
}

struct Query {
  DnsType type;
  std::string doing;
  std::optional<core::Result<DnsAnswer>> result = {};

  static void answered(void* self, int status, int /*timeouts*/, unsigned char* bytes, int size) {
    Query& query = *static_cast<Query*>(self);
    if (status == ARES_ENOTFOUND || status == ARES_ENODATA) {
      query.result = DnsAnswer{};
    } else if (status != ARES_SUCCESS) {
      query.result = tl::make_unexpected(ares_error(query.doing, status));
    } else {
      query.result = parse_dns_answer({bytes, static_cast<std::size_t>(size)}, query.type);
    }
  }
};

}  // namespace

struct DnsResolver::Channel {
  ares_channel handle = nullptr;

  ~Channel() {
    if (handle != nullptr) ares_destroy(handle);
  }
};

DnsResolver::DnsResolver(std::string servers, std::chrono::milliseconds timeout,
                         const StopEvent& stop)
    : servers_(std::move(servers)), timeout_(timeout), stop_(stop) {}

DnsResolver::~DnsResolver() = default;

core::Status DnsResolver::open() {
  ares_options options{};
  options.timeout = static_cast<int>(timeout_.count());
  options.tries = kTries;
  int status = initialise_once();
  auto channel = std::make_unique<Channel>();
  if (status == ARES_SUCCESS) {
    status = ares_init_options(&channel->handle, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
  }
  if (status == ARES_SUCCESS && !servers_.empty()) {
    status = ares_set_servers_ports_csv(channel->handle, servers_.c_str());
  }
  if (status != ARES_SUCCESS) {
    return tl::make_unexpected(ares_error("preparing DNS look-ups", status));
  }
  channel_ = std::move(channel);
  return {};
}

core::Result<DnsAnswer> DnsResolver::resolve(const std::string& name, DnsType type) {
  // Anew for each look-up, as /etc/resolv.conf may have changed.
  if (auto ok = open(); !ok) return tl::make_unexpected(std::move(ok.error()));
  Query query{.type = type, .doing = "looking up " + name};
  ares_query(channel_->handle, name.c_str(), ns_c_in, static_cast<int>(type), &Query::answered,
             &query);
  while (!query.result && !stop_.is_set()) wait_for(channel_->handle, stop_);
  // Ends a query that is under way by calling answered() a last time.
  channel_.reset();
  return std::move(*query.result);
}

}  // namespace rdmadiag::probes
