// An RcTransport that does what the test says, and remembers what it was asked to do.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "probes/rc_transport.h"

namespace rdmadiag::test {

class ScriptedRc final : public probes::RcTransport {
 public:
  struct Posted {
    probes::RcConnectionId id = 0;
    probes::RcOperation operation = probes::RcOperation::kSend;
    std::uint64_t number = 0;
  };

  [[nodiscard]] bool acknowledges(probes::RcService service) const override {
    return acknowledging && service == probes::RcService::kReliable;
  }
  core::Result<probes::RcCreated> create(const probes::RcSetup& setup) override {
    if (!create_error.empty()) return core::fail(create_error);
    const probes::RcConnectionId id = next_id++;
    live[id] = setup;
    probes::RcCreated created{.id = id, .local = {}};
    created.local.gid[15] = 1;
    created.local.qpn = qpn_of(id);
    created.local.psn = setup.psn;
    created.local.mtu_bytes = 1024;
    created.local.operation = setup.operation;
    created.local.service = setup.service;
    return created;
  }
  core::Result<probes::RcConnecting> connect(probes::RcConnectionId id,
                                             const probes::RcParameters& remote) override {
    if (!connect_error.empty()) return core::fail(connect_error);
    remotes[id] = remote;
    return connecting;
  }
  core::Status post(probes::RcConnectionId id, probes::RcOperation operation,
                    std::uint64_t number) override {
    if (!post_error.empty()) return core::fail(post_error);
    posted.push_back({id, operation, number});
    return {};
  }
  void destroy(probes::RcConnectionId id) override {
    live.erase(id);
    ++destroyed[id];
  }
  [[nodiscard]] probes::RcConnectionId connection_of(std::uint32_t qpn) const override {
    return live.contains(qpn - 0x100) ? qpn - 0x100 : 0;
  }
  core::Result<std::size_t> poll(probes::RcEvents&) override { return std::size_t{0}; }

  [[nodiscard]] static std::uint32_t qpn_of(probes::RcConnectionId id) { return id + 0x100; }

  bool acknowledging = true;
  std::string create_error;
  std::string connect_error;
  std::string post_error;
  probes::RcConnecting connecting = probes::RcConnecting::kUp;
  probes::RcConnectionId next_id = 1;
  std::map<probes::RcConnectionId, probes::RcSetup> live;
  std::map<probes::RcConnectionId, probes::RcParameters> remotes;
  std::map<probes::RcConnectionId, int> destroyed;
  std::vector<Posted> posted;
};

}  // namespace rdmadiag::test
