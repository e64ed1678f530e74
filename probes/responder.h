// Answers probes. Never blocks, never answers what is not signed right, never twice. With a device
// counter it says in ACK2 how long it took by that counter; without, in ACK1 by the host's clock.
// One thread uses it; counts() any.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/probe.h"
#include "probes/probe_key.h"
#include "probes/session_table.h"
#include "probes/ud_transport.h"
#include "probes/wire.h"

namespace rdmadiag::probes {

class Responder final : public UdEvents {
 public:
  Responder(std::uint32_t epoch, std::shared_ptr<const KeyRing> keys, const SessionLimits& limits,
            const core::Clock& clock);

  // The queue pairs to answer on; null when there are none. Not owned.
  void attach(UdTransport* transport);
  void set_keys(std::shared_ptr<const KeyRing> keys) { keys_ = std::move(keys); }
  // The loop did not run meanwhile; the next ACKs say so.
  void loop_stalled(core::SteadyTime from, core::SteadyTime to);

  void sent(const WorkId& id, bool success, const Tick& tick) override;
  void received(const UdArrival& arrival) override;
  void received_malformed() override;

  [[nodiscard]] core::ResponderCounts counts() const;
  [[nodiscard]] core::SteadyTime last_received() const { return last_received_; }

 private:
  // An ACK1 on its way, whose ACK2 is still to come.
  struct Open {
    std::uint32_t generation = 0;
    bool used = false;
    std::size_t qp = 0;
    UdAddress to;
    Message ack1;
    Route route;
    std::uint8_t key_id = 0;
    std::uint64_t received_ticks = 0;
  };
  struct Stall {
    core::SteadyTime ended{};
    std::chrono::nanoseconds length{0};
  };

  void answer(const UdArrival& arrival, const SignedMessage& probe, const Route& back);
  [[nodiscard]] Message reply_to(const UdArrival& arrival, const Message& probe) const;
  [[nodiscard]] std::uint32_t lag_since(core::SteadyTime last_ack) const;
  Posted post(std::size_t qp, const UdAddress& to, const Message& message, const Route& route,
              std::uint8_t key_id, const WorkId& id);
  void count(std::uint64_t core::ResponderCounts::*counter);
  [[nodiscard]] WorkId open_slot();

  std::uint32_t epoch_;
  std::shared_ptr<const KeyRing> keys_;
  const core::Clock& clock_;
  SessionTable sessions_;
  UdTransport* transport_ = nullptr;
  DeviceClock device_clock_;
  std::vector<Open> open_;
  std::vector<std::uint16_t> free_;
  std::array<Stall, 8> stalls_{};
  std::size_t next_stall_ = 0;
  core::SteadyTime last_received_{};
  mutable std::mutex counts_lock_;
  core::ResponderCounts counts_;
};

}  // namespace rdmadiag::probes
