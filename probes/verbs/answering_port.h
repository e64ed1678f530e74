// One port that is probed: the responder for datagrams and the passive end of connections, on a
// thread of their own. Any thread may call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/core/clock.h"
#include "agent/core/probe.h"
#include "probes/endpoint.h"
#include "probes/verbs/port_thread.h"
#include "probes/verbs/port_users.h"

namespace rdmadiag::probes {

struct AnsweringPortOptions {
  DeviceIdentity device;
  std::uint8_t port = 1;
  core::Protocol protocol = core::Protocol::kUnknown;  // as far as known before it is opened
  std::string leaf;
  std::string rail;
  std::string pod;
  RcAcceptorOptions acceptor;  // its epoch is the responder's too
};

class AnsweringPort {
 public:
  AnsweringPort(AnsweringPortOptions options, std::shared_ptr<const KeyRing> keys,
                const RandomSource& random, std::shared_ptr<const core::Clock> clock);

  void set_keys(std::shared_ptr<const KeyRing> keys);
  // A peer's request for a connection. Waits for the port's thread, at most a second.
  [[nodiscard]] core::Result<RcParameters> accept(const std::string& peer,
                                                  const RcParameters& remote);
  [[nodiscard]] RnicEndpoint endpoint() const;
  [[nodiscard]] core::ResponderCounts counts() const { return user_->counts(); }
  [[nodiscard]] PortState state() const { return thread_.state(); }

 private:
  AnsweringPortOptions options_;
  std::shared_ptr<const core::Clock> clock_;
  std::shared_ptr<ResponderUser> user_;
  PortThread thread_;
};

}  // namespace rdmadiag::probes
