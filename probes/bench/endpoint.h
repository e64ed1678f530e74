// One end of a run: queue pairs, their memory in a protection domain of its own, and how they find
// those of the other end. Memory is registered once, before anything is measured; what the peer may
// touch exists as long as this object and no longer. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "probes/bench/plan.h"
#include "probes/bench/queue.h"
#include "probes/random.h"
#include "probes/rc_exchange.h"
#include "probes/rc_transport.h"
#include "probes/verbs/device.h"
#include "probes/verbs/port_user.h"
#include "probes/verbs/queue_pair.h"
#include "probes/verbs/rc_connector.h"
#include "probes/verbs/registered_memory.h"

namespace rdmadiag::probes {

// One queue pair and what belongs to it.
struct BenchLane {
  // In the order of making; the memory outlives the queue pair.
  RegisteredMemory sent;      // what is sent, and where reads land
  RegisteredMemory received;  // what the peer sends, writes or reads
  AddressHandle address;      // UD
  QueuePairHandle qp;
  std::uint32_t inline_bytes = 0;
  std::uint32_t psn = 0;
  std::uint32_t remote_qpn = 0;
  std::uint64_t remote_address = 0;
  std::uint32_t remote_key = 0;
};

// What the other end has to know, and has told.
struct BenchEnds {
  std::uint32_t qkey = 0;
  std::uint32_t reads = 1;
  std::vector<RcParameters> ends = {};
};

struct BenchEndpointOptions {
  PortView port = {};
  BenchPlan plan = {};  // checked
  RcRole role = RcRole::kProber;
};

class BenchEndpoint {
 public:
  // `device` stays where it is. The plan is held against the port once more.
  [[nodiscard]] static core::Result<std::unique_ptr<BenchEndpoint>> create(
      const Device& device, const BenchEndpointOptions& options, const RandomSource& random);
  ~BenchEndpoint();
  BenchEndpoint(const BenchEndpoint&) = delete;
  BenchEndpoint& operator=(const BenchEndpoint&) = delete;

  [[nodiscard]] const BenchEnds& local() const { return local_; }
  // To one end for each queue pair. On iWARP it is not up yet: connected() says when.
  [[nodiscard]] core::Status connect(const BenchEnds& remote);
  // Looks what became of connecting; an error when it failed.
  [[nodiscard]] core::Result<bool> connected();

  [[nodiscard]] const BenchPlan& plan() const { return options_.plan; }
  [[nodiscard]] const PortView& port() const { return options_.port; }
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] std::vector<BenchLane>& lanes() { return lanes_; }
  [[nodiscard]] BenchQueue& sends() { return sends_; }
  [[nodiscard]] BenchQueue& receives() { return receives_; }
  [[nodiscard]] std::uint32_t remote_qkey() const { return remote_qkey_; }
  // Puts one receive at the end of a queue pair's queue; its completion carries the lane's number.
  [[nodiscard]] core::Status post_receive(std::size_t lane);

 private:
  BenchEndpoint(const Device& device, BenchEndpointOptions options, ProtectionDomain domain,
                BenchQueue sends, BenchQueue receives, std::unique_ptr<RcConnector> connector);
  [[nodiscard]] core::Status add_lane(const RandomSource& random);
  [[nodiscard]] core::Status initialise(std::size_t number, RcParameters& local);
  [[nodiscard]] core::Status connect_datagrams(const BenchEnds& remote);
  [[nodiscard]] RcSetup setup_of(const BenchLane& lane) const;
  [[nodiscard]] RcPort connector_port() const;

  const Device& device_;
  BenchEndpointOptions options_;
  BenchEnds local_;
  std::uint32_t remote_qkey_ = 0;
  std::size_t waiting_for_ = 0;  // lanes that are not connected yet
  // Destroyed from the last to the first.
  ProtectionDomain domain_;
  BenchQueue sends_;
  BenchQueue receives_;
  std::unique_ptr<RcConnector> connector_;
  std::vector<BenchLane> lanes_;
};

}  // namespace rdmadiag::probes
