#include "agent/cli/trace_socket.h"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "agent/core/unique_fd.h"

namespace rdmadiag::cli {
namespace {

using namespace std::chrono_literals;
using probes::HopAnswer;

constexpr auto kAnswerWithin = 500ms;
// A RoCE NIC would drop this as too short for its headers, should it ever see it. The time to live
// follows: routers that quote more than our UDP header tell late answers to earlier packets apart.
constexpr std::string_view kMark = "rdmadiag";

std::string payload_of(int ttl) { return std::string(kMark) + static_cast<char>(ttl); }

union Address {
  sockaddr_in6 v6;  // first, as the largest: {} clears all of it
  sockaddr_in v4;
  sockaddr any;
};

struct Endpoint {
  Address address{};
  socklen_t size = 0;

  void set_port(std::uint16_t port) {
    if (address.any.sa_family == AF_INET) {
      address.v4.sin_port = htons(port);
    } else {
      address.v6.sin6_port = htons(port);
    }
  }
};

std::optional<Endpoint> parse(const std::string& text) {
  Endpoint out;
  if (::inet_pton(AF_INET, text.c_str(), &out.address.v4.sin_addr) == 1) {
    out.address.v4.sin_family = AF_INET;
    out.size = sizeof(sockaddr_in);
    return out;
  }
  out.address.v6 = {};
  if (::inet_pton(AF_INET6, text.c_str(), &out.address.v6.sin6_addr) != 1) return std::nullopt;
  out.address.v6.sin6_family = AF_INET6;
  out.size = sizeof(sockaddr_in6);
  return out;
}

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (address.sa_family == AF_INET) {
    std::memcpy(&v4, &address, sizeof v4);
    bytes = &v4.sin_addr;
  } else if (address.sa_family == AF_INET6) {
    std::memcpy(&v6, &address, sizeof v6);
    bytes = &v6.sin6_addr;
  }
  if (bytes == nullptr) return "";
  ::inet_ntop(address.sa_family, bytes, text.data(), text.size());
  return text.data();
}

bool set(int socket, int level, int option, int value) {
  return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

// Nothing for an error that is not about a packet on its way.
std::optional<HopAnswer> answer_of(const sock_extended_err& error, const sockaddr& offender) {
  const bool v4 = error.ee_origin == SO_EE_ORIGIN_ICMP;
  if (!v4 && error.ee_origin != SO_EE_ORIGIN_ICMP6) return std::nullopt;
  const bool expired =
      v4 ? error.ee_type == ICMP_TIME_EXCEEDED : error.ee_type == ICMP6_TIME_EXCEEDED;
  const bool refused =
      v4 ? error.ee_type == ICMP_DEST_UNREACH && error.ee_code == ICMP_PORT_UNREACH
         : error.ee_type == ICMP6_DST_UNREACH && error.ee_code == ICMP6_DST_UNREACH_NOPORT;
  if (!expired && !refused) return std::nullopt;
  return HopAnswer{.from = text_of(offender), .is_peer = refused, .rtt = {}};
}

std::optional<HopAnswer> read_error(int socket, int ttl) {
  std::array<char, 256> data{};
  alignas(cmsghdr) std::array<char, 512> control{};
  iovec part{data.data(), data.size()};
  Address name{};
  msghdr message{};
  message.msg_name = &name;
  message.msg_namelen = sizeof name;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const auto quoted = ::recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
  if (quoted < 0) return std::nullopt;
  if (static_cast<std::size_t>(quoted) > kMark.size() &&
      std::string_view(data.data(), kMark.size() + 1) != payload_of(ttl))
    return std::nullopt;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    const bool v4 = header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_RECVERR;
    const bool v6 = header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_RECVERR;
    if (!v4 && !v6) continue;
    std::array<char, sizeof(sock_extended_err) + sizeof(sockaddr_in6)> bytes{};
    std::memcpy(bytes.data(), CMSG_DATA(header),
                std::min<std::size_t>(bytes.size(), header->cmsg_len - CMSG_LEN(0)));
    sock_extended_err error{};
    std::memcpy(&error, bytes.data(), sizeof error);
    Address offender{};
    std::memcpy(&offender, bytes.data() + sizeof error, sizeof(sockaddr_in6));
    return answer_of(error, offender.any);
  }
  return std::nullopt;
}

class UdpTrace final : public probes::TraceNetwork {
 public:
  UdpTrace(const Endpoint& from, const Endpoint& to, std::string peer, int traffic_class)
      : from_(from), to_(to), peer_(std::move(peer)), traffic_class_(traffic_class) {}

  core::Result<std::optional<HopAnswer>> probe(std::uint16_t source_port,
                                               std::uint16_t destination_port, int ttl) override {
    auto socket = open(source_port, destination_port, ttl);
    if (!socket) return tl::make_unexpected(socket.error());
    const core::SteadyTime sent = clock_.steady();
    const std::string payload = payload_of(ttl);
    if (::send(socket->get(), payload.data(), payload.size(), 0) < 0)
      return core::errno_error(errno, "sending to " + peer_);
    while (true) {
      const auto left = kAnswerWithin - (clock_.steady() - sent);
      if (left <= 0ns) return std::nullopt;
      pollfd wanted{.fd = socket->get(), .events = 0, .revents = 0};  // POLLERR comes unasked
      const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1;
      if (::poll(&wanted, 1, static_cast<int>(wait)) <= 0) continue;
      auto answer = read_error(socket->get(), ttl);
      if (!answer) continue;
      answer->rtt = clock_.steady() - sent;
      answer->is_peer = answer->is_peer || answer->from == peer_;
      return answer;
    }
  }

 private:
  core::Result<core::UniqueFd> open(std::uint16_t source_port, std::uint16_t destination_port,
                                    int ttl) const {
    const int family = to_.address.any.sa_family;
    core::UniqueFd socket(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return core::errno_error(errno, "socket");
    Endpoint from = from_;
    Endpoint to = to_;
    from.set_port(source_port);
    to.set_port(destination_port);
    const bool v4 = family == AF_INET;
    const bool good = v4 ? set(socket.get(), IPPROTO_IP, IP_RECVERR, 1) &&
                               set(socket.get(), IPPROTO_IP, IP_TTL, ttl) &&
                               set(socket.get(), IPPROTO_IP, IP_TOS, traffic_class_)
                         : set(socket.get(), IPPROTO_IPV6, IPV6_RECVERR, 1) &&
                               set(socket.get(), IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl) &&
                               set(socket.get(), IPPROTO_IPV6, IPV6_TCLASS, traffic_class_);
    if (!good) return core::errno_error(errno, "setsockopt");
    if (::bind(socket.get(), &from.address.any, from.size) != 0)
      return core::errno_error(errno, "binding source port " + std::to_string(source_port));
    if (::connect(socket.get(), &to.address.any, to.size) != 0)
      return core::errno_error(errno, "no way to " + peer_);
    return socket;
  }

  Endpoint from_;
  Endpoint to_;
  std::string peer_;
  int traffic_class_;
  core::SystemClock clock_;
};

}  // namespace

bool is_ip_address(const std::string& text) { return parse(text).has_value(); }

core::Result<std::unique_ptr<probes::TraceNetwork>> open_trace(const TraceEnds& ends) {
  const auto to = parse(ends.to);
  if (!to) return core::fail(ends.to + " is no IP address");
  Endpoint from;
  from.address.any.sa_family = to->address.any.sa_family;
  from.size = to->size;
  if (!ends.from.empty()) {
    const auto own = parse(ends.from);
    if (!own) return core::fail(ends.from + " is no IP address");
    if (own->size != to->size) return core::fail(ends.from + " and " + ends.to + " do not fit");
    from = *own;
  }
  return std::make_unique<UdpTrace>(from, *to, text_of(to->address.any), ends.traffic_class);
}

}  // namespace rdmadiag::cli
