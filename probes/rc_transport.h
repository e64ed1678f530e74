// Connections of one port as the RC prober and the acceptor see them. The real ones are
// verbs/rc_endpoint and, on iWARP, verbs/rc_cm; tests put a simulated one here. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "agent/core/result.h"
#include "probes/rc_exchange.h"
#include "probes/tick.h"

namespace rdmadiag::probes {

// Given by the transport, never twice.
using RcConnectionId = std::uint32_t;

enum class RcRole : std::uint8_t { kProber, kAcceptor };

// How hard a queue pair tries. The defaults are the probes': one read at a time, and a receiver
// that stays without buffers is a failure.
struct RcTuning {
  std::uint8_t reads_in_flight = 1;
  std::uint8_t rnr_retry = 3;  // 7: without end
  // Without an acknowledgement. As many as there are would be 7, which soft-RoCE takes for "without
  // end": a peer that is gone would never be noticed.
  std::uint8_t retries = 6;
};

struct RcSetup {
  RcRole role = RcRole::kProber;
  RcOperation operation = RcOperation::kSend;
  RcService service = RcService::kReliable;
  std::uint32_t psn = 0;  // 24 bits
  std::uint32_t flow_label = 1;
  std::uint8_t traffic_class = 0;
  RcTuning tuning = {};
};

struct RcCreated {
  RcConnectionId id = 0;
  RcParameters local;  // all but the epoch
};

enum class RcConnecting : std::uint8_t {
  kUp,       // messages can be posted
  kPending,  // connected() or broken() follows
};

class RcEvents {
 public:
  virtual ~RcEvents() = default;
  virtual void connected(RcConnectionId id) = 0;
  // The NIC is done with a message; what that means acknowledges() says.
  virtual void sent(RcConnectionId id, const Tick& tick) = 0;
  virtual void received(RcConnectionId id, std::uint64_t number, const Tick& tick) = 0;
  // Nothing more will come of it: what completed in error ("transport retry counter exceeded,
  // vendor_err 0x81"), or that the other side hung up. It still has to be destroyed.
  virtual void broken(RcConnectionId id, const std::string& why) = 0;
};

class RcTransport {
 public:
  virtual ~RcTransport() = default;

  // Whether sent() means that the peer's NIC has the message. If not, it has only left ours, and
  // the peer's agent sends it back.
  [[nodiscard]] virtual bool acknowledges(RcService service) const = 0;
  // A queue pair that waits for the peer's parameters. An error is this host's own.
  [[nodiscard]] virtual core::Result<RcCreated> create(const RcSetup& setup) = 0;
  // `remote` has been checked for its ranges.
  [[nodiscard]] virtual core::Result<RcConnecting> connect(RcConnectionId id,
                                                           const RcParameters& remote) = 0;
  // Posts one message of 64 bytes that carries `number`; sent() or broken() follows. `operation`
  // may be kSend on a connection made for a one-sided one.
  [[nodiscard]] virtual core::Status post(RcConnectionId id, RcOperation operation,
                                          std::uint64_t number) = 0;
  // Also from within an event. Nothing of this connection is handed out afterwards.
  virtual void destroy(RcConnectionId id) = 0;
  // The connection with this queue pair; 0 when it is none of ours.
  [[nodiscard]] virtual RcConnectionId connection_of(std::uint32_t qpn) const = 0;
  // Hands out what has happened, at most a batch; the number handed out.
  virtual core::Result<std::size_t> poll(RcEvents& events) = 0;
};

}  // namespace rdmadiag::probes
