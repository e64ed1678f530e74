// Keeps a few connections to peers alive and sends a message over each once per interval: does the
// transport that jobs use still work, and how long does the peer's NIC take to acknowledge? A
// connection that fails is destroyed and made anew, ever more rarely. An asynchronous state machine
// over an RcTransport; it never waits. One thread uses it, except for what says otherwise.
//
// A connection's life: create a queue pair → ask the peer (take_requests, answered) → connect →
// messages, one on its way at a time → broken → wait → again.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/probe.h"
#include "probes/random.h"
#include "probes/rc_backoff.h"
#include "probes/rc_ledger.h"
#include "probes/rc_record.h"
#include "probes/rc_transport.h"
#include "probes/schedule.h"

namespace rdmadiag::probes {

struct RcLimits {
  std::chrono::nanoseconds answer = std::chrono::seconds(10);   // of the control channel
  std::chrono::nanoseconds connect = std::chrono::seconds(10);  // of rdma_cm
  // A NIC gives up on its own after seven tries of at most four times 67 ms each; RNR adds little.
  std::chrono::nanoseconds completion = std::chrono::seconds(20);
  std::chrono::nanoseconds echo = std::chrono::milliseconds(500);  // unreliable connections
  // Where a completion does not tell, but TCP repeats what was lost (iWARP).
  std::chrono::nanoseconds reliable_echo = std::chrono::seconds(5);
  std::uint32_t echoes_missed = 3;  // in a row: made anew
  RcBackoff backoff;
  std::chrono::nanoseconds rebuild_spacing = std::chrono::seconds(1);  // of the whole port
  std::chrono::nanoseconds stable = std::chrono::seconds(10);  // up that long: failures forgotten
  // Peers drop what they have not heard of for 90 s, so whatever the interval and the rate factor:
  std::chrono::nanoseconds longest_interval = std::chrono::seconds(60);
  // With one-sided operations the peer's agent sees nothing of us; so now and then one is a SEND.
  std::chrono::nanoseconds sign_of_life = std::chrono::seconds(20);
};

struct RcProberOptions {
  std::string nic{};  // "host/device", for the log
  std::uint32_t epoch = 0;
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  std::size_t max_connections = 8;
  std::uint8_t traffic_class = 0;  // DSCP << 2 | ECN
  std::uint32_t flow_label = 1;    // not 0
  RcOperation operation = RcOperation::kSend;
  RcService service = RcService::kReliable;
  RcLimits limits{};
};

struct RcTarget {
  std::string peer;        // "host/device"
  std::uint64_t hash = 0;  // of the pair: the phase
};

class RcProber final : public RcEvents {
 public:
  RcProber(const RcProberOptions& options, RandomSource random, const core::Clock& clock);

  // Null when there is none; then every connection waits and its peer is not blamed. The former one
  // is not touched any more: it takes its queue pairs with it. Not owned.
  void attach(RcTransport* transport);
  // Exactly these from now on, the first max_connections of them. Those that stay keep their state.
  void set_targets(const std::vector<RcTarget>& targets);
  // Stretches the interval by 1/factor; 0 < factor ≤ 1.
  void set_rate_factor(double factor);

  // What to post to peers; each is answered once, with an error when no answer can be had.
  [[nodiscard]] std::vector<RcRequest> take_requests();
  void answered(std::uint64_t id, const core::Result<RcParameters>& answer);

  // What a look-up of the peer found: after a restart its queue pairs are gone.
  void set_peer_epoch(const std::string& peer, std::uint32_t epoch);
  // There is reason to believe that the peer can be reached again: do not wait any longer.
  void retry_soon(const std::string& peer);
  void qp_broken(std::uint32_t qpn);
  // While it is down nothing is made anew and no peer is blamed.
  void set_port_active(bool active);
  // It came up, however briefly it was down.
  void port_came_up();
  // The loop did not run meanwhile.
  void loop_stalled(core::SteadyTime from, core::SteadyTime to);

  void connected(RcConnectionId id) override;
  void sent(RcConnectionId id, const Tick& tick) override;
  void received(RcConnectionId id, std::uint64_t number, const Tick& tick) override;
  void broken(RcConnectionId id, const std::string& why) override;

  // Does what is due. True when a message was sent.
  bool work();
  [[nodiscard]] std::optional<core::SteadyTime> next_wakeup() const;
  // Whether an answer is awaited whose time to arrive a stall of the loop would falsify.
  [[nodiscard]] bool awaits_answers() const;

  // What happened since the last call, of all connections; empty unless asked for by keep_records.
  [[nodiscard]] std::vector<RcRecord> take_records() { return std::exchange(records_, {}); }
  void keep_records() { keeps_records_ = true; }

  // Any thread.
  void fill(core::RcProbes& probes) const { ledger_.fill(probes); }

 private:
  enum class State : std::uint8_t { kWaiting, kAsked, kConnecting, kUp };
  struct Message {
    std::uint64_t number = 0;
    core::SteadyTime posted{};
    bool stalled = false;  // our own loop did not run meanwhile
  };
  struct Connection {
    std::string peer;
    std::uint64_t hash = 0;
    State state = State::kWaiting;
    core::SteadyTime due{};  // waiting: when to try again; asked, connecting: when to give up
    std::optional<RcConnectionId> id;
    std::uint64_t request = 0;
    RcParameters local;
    std::uint32_t peer_epoch = 0;
    std::uint32_t failures = 0;  // in a row
    std::string problem;         // the last one
    bool tried = false;          // the next try is not the first
    bool agreed = false;         // the peer has taken part before
    bool is_up = false;          // something has been acknowledged
    bool broke_with_port = false;
    std::optional<Message> message;
    core::SteadyTime up_since{};
    core::SteadyTime last_ok{};
    core::SteadyTime last_send_operation{};
    std::uint32_t echoes_missed = 0;
  };
  // Whose fault: of this host's device, which says nothing about the peer; of the peer's agent; of
  // what is in between, or the peer's device.
  enum class Fault : std::uint8_t { kLocal, kAgent, kRemote };

  using Connections = std::map<std::uint32_t, Connection>;

  void advance(std::uint32_t key, Connection& connection);
  void start(std::uint32_t key, Connection& connection);
  void established(std::uint32_t key, Connection& connection);
  bool send(std::uint32_t key, Connection& connection);
  void check_message(std::uint32_t key, Connection& connection);
  void acknowledged(Connection& connection, const Tick& tick);
  void fail(std::uint32_t key, Connection& connection, Fault fault, const std::string& problem);
  void rebuild(std::uint32_t key, Connection& connection, core::RcRebuildReason reason,
               const std::string& problem);
  void release(std::uint32_t key, Connection& connection);
  void tell(Connection& connection, Fault fault, std::string problem);
  void record(RcRecord happened);
  [[nodiscard]] core::SteadyTime message_deadline(const Message& message) const;
  [[nodiscard]] core::SteadyTime start_time(const Connection& connection) const;
  [[nodiscard]] bool acknowledges() const { return transport_->acknowledges(options_.service); }
  [[nodiscard]] bool usable() const { return transport_ != nullptr && port_active_; }
  [[nodiscard]] Connections::iterator find(RcConnectionId id);
  [[nodiscard]] Connections::iterator find_peer(const std::string& peer);

  RcProberOptions options_;
  RandomSource random_;
  const core::Clock& clock_;
  RcTransport* transport_ = nullptr;
  bool port_active_ = true;
  ProbeSchedule schedule_;  // of those that are up
  Connections connections_;
  std::uint32_t next_key_ = 1;
  std::uint64_t next_request_ = 1;
  std::uint64_t next_number_ = 1;
  core::SteadyTime next_rebuild_{};
  std::vector<RcRequest> requests_;
  bool keeps_records_ = false;
  std::vector<RcRecord> records_;
  RcLedger ledger_;
};

}  // namespace rdmadiag::probes
