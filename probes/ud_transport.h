// One RNIC's unreliable datagram queue pairs as the prober and the responder see them. The real one
// is verbs/ud_endpoint; tests put a simulated fabric here. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "probes/packet_header.h"
#include "probes/tick.h"
#include "probes/work_id.h"

namespace rdmadiag::probes {

struct UdAddress {
  core::Gid gid{};
  std::uint16_t lid = 0;  // InfiniBand
  std::uint32_t qpn = 0;
  std::uint32_t qkey = 0;
};

struct UdSend {
  WorkId id;
  UdAddress to;
  std::uint32_t label = 0;
  std::uint8_t traffic_class = 0;
  std::span<const std::byte> payload;  // copied
  std::size_t length = 0;              // with zeros after the payload; at least its size
};

struct UdArrival {
  std::size_t qp = 0;
  PacketHeader header;
  std::uint32_t source_qpn = 0;
  std::uint16_t source_lid = 0;
  std::span<const std::byte> payload;  // its first bytes; valid during the call
  std::size_t length = 0;              // of the whole payload
  Tick tick;
};

class UdEvents {
 public:
  virtual ~UdEvents() = default;
  virtual void sent(const WorkId& id, bool success, const Tick& tick) = 0;
  virtual void received(const UdArrival& arrival) = 0;
  // A datagram whose header was neither IPv4 nor a GRH.
  virtual void received_malformed() = 0;
};

enum class Posted : std::uint8_t { kYes, kNoAddress, kQueueFull, kFailed };

class UdTransport {
 public:
  virtual ~UdTransport() = default;

  [[nodiscard]] virtual const core::Gid& gid() const = 0;
  [[nodiscard]] virtual std::size_t queue_pairs() const = 0;
  [[nodiscard]] virtual std::uint32_t qpn(std::size_t qp) const = 0;
  [[nodiscard]] virtual std::uint32_t qkey() const = 0;
  [[nodiscard]] virtual DeviceClock device_clock() const = 0;
  // The payload that fits one packet to any peer of this port.
  [[nodiscard]] virtual std::size_t path_mtu() const = 0;

  // Gets the address handle for such a send, which may take a kernel command: call it before the
  // clock is read for a send's time. What fails is told by the send.
  virtual void prepare(const UdAddress& to, std::uint32_t label, std::uint8_t traffic_class) = 0;
  // Nothing completes for what was not posted.
  virtual Posted send(std::size_t qp, const UdSend& send) = 0;
  // Why the last send was not posted.
  [[nodiscard]] virtual const std::string& last_error() const = 0;
  // The peer's next hop may have moved, or nothing of it comes back: look its address up anew.
  virtual void forget_address(const core::Gid& gid) = 0;
  // Hands out what has completed, at most a batch; the number handed out.
  virtual core::Result<std::size_t> poll(UdEvents& events) = 0;
};

}  // namespace rdmadiag::probes
