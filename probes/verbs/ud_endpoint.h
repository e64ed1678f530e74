// The real UdTransport: one or more UD queue pairs of one port on one completion queue, with posted
// receives and cached address handles. The caller's thread is the only one that uses it.
//
// A datagram may be as long as the MTU, but only its first 64 bytes are of interest: the rest of
// all of them goes to one scrap area, so a thousand posted receives cost little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "probes/ud_transport.h"
#include "probes/verbs/address_cache.h"
#include "probes/verbs/completion_queue.h"
#include "probes/verbs/device.h"
#include "probes/verbs/queue_pair.h"
#include "probes/verbs/registered_memory.h"

namespace rdmadiag::probes {

struct UdEndpointOptions {
  std::uint8_t port = 1;
  core::GidEntry gid;
  int mtu_bytes = 1024;
  std::uint32_t qkey = 0;  // top bit clear: the kernel keeps the other half for itself
  std::size_t queue_pairs = 1;
  std::uint32_t sends = 256;  // for each queue pair
  std::uint32_t receives = 1024;
  std::size_t addresses = 2048;
};

class UdEndpoint final : public UdTransport {
 public:
  // `device` and `clock` must outlive it.
  [[nodiscard]] static core::Result<std::unique_ptr<UdEndpoint>> create(
      const Device& device, const UdEndpointOptions& options, const core::Clock& clock);

  [[nodiscard]] const core::Gid& gid() const override { return options_.gid.gid; }
  [[nodiscard]] std::size_t queue_pairs() const override { return pairs_.size(); }
  [[nodiscard]] std::uint32_t qpn(std::size_t qp) const override;
  [[nodiscard]] std::uint32_t qkey() const override { return options_.qkey; }
  [[nodiscard]] DeviceClock device_clock() const override { return device_clock_; }
  [[nodiscard]] std::size_t path_mtu() const override {
    return static_cast<std::size_t>(options_.mtu_bytes);
  }
  void prepare(const UdAddress& to, std::uint32_t label, std::uint8_t traffic_class) override {
    static_cast<void>(address(to, label, traffic_class));
  }
  Posted send(std::size_t qp, const UdSend& send) override;
  [[nodiscard]] const std::string& last_error() const override { return last_error_; }
  void forget_address(const core::Gid& gid) override { addresses_.forget(gid); }
  core::Result<std::size_t> poll(UdEvents& events) override;

  [[nodiscard]] int event_fd() const { return queue_.event_fd(); }
  [[nodiscard]] core::Status arm() { return queue_.arm(); }
  // A send failed or a receive did: a queue pair is in SQE or ERR and only building anew helps.
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] bool owns(std::uint32_t qpn) const;

  // The port's GID changed, or stands at another index of the table now.
  void move_gid(const core::GidEntry& gid);

 private:
  struct Pair {
    QueuePairHandle qp;
    std::uint32_t inline_bytes = 0;
    // Address handles of the sends on their way; one queue pair's sends complete in order.
    std::deque<AddressCache::Handle> in_flight;
    std::uint32_t next_send_slot = 0;
  };

  UdEndpoint(const UdEndpointOptions& options, const core::Clock& clock,
             const DeviceClock& device_clock, ProtectionDomain domain, CompletionQueue queue);
  [[nodiscard]] core::Status build();
  [[nodiscard]] core::Result<AddressCache::Handle> address(const UdAddress& to, std::uint32_t label,
                                                           std::uint8_t traffic_class);
  [[nodiscard]] Posted post_send(Pair& pair, std::size_t qp, const UdSend& send, ibv_ah* address);
  [[nodiscard]] core::Status post_receive(std::size_t qp, std::uint32_t slot);
  [[nodiscard]] core::Status post_all_receives();
  [[nodiscard]] std::size_t receive_offset(std::size_t qp, std::uint32_t slot) const;
  [[nodiscard]] std::size_t send_offset(std::size_t qp, std::uint32_t slot) const;
  [[nodiscard]] std::size_t scrap_offset() const;
  void hand_out(const WorkCompletion& completion, core::SteadyTime polled, UdEvents& events);
  void hand_out_receive(const WorkCompletion& completion, const WorkId& id, const Tick& tick,
                        UdEvents& events);
  [[nodiscard]] std::size_t pair_of(std::uint32_t qpn) const;

  UdEndpointOptions options_;
  const core::Clock& clock_;
  DeviceClock device_clock_;
  // Destroyed from the last to the first.
  ProtectionDomain domain_;
  RegisteredMemory memory_;
  CompletionQueue queue_;
  AddressCache addresses_;
  std::vector<Pair> pairs_;
  bool broken_ = false;
  std::string last_error_;
};

}  // namespace rdmadiag::probes
