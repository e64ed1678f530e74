// A libibverbs made of plain memory, linked in place of the real one. Devices, ports and GIDs are
// what the test says; UD and RC queue pairs really exchange datagrams with each other. Strict: a
// step with a wrong attribute mask, an object destroyed before what depends on it, or a buffer
// outside its memory region is a violation the test can see. Any thread may call.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::test {

struct FakeGid {
  std::uint32_t index = 0;
  core::Gid gid{};
  std::uint32_t type = IBV_GID_TYPE_ROCE_V2;
};

struct FakeDevice {
  std::string name;
  std::uint64_t node_guid = 0;  // network order
  std::uint32_t vendor = 0xffffff;
  ibv_transport_type transport = IBV_TRANSPORT_IB;
  std::uint8_t link_layer = IBV_LINK_LAYER_ETHERNET;
  ibv_port_state state = IBV_PORT_ACTIVE;
  ibv_mtu active_mtu = IBV_MTU_1024;
  std::uint16_t lid = 0;
  std::uint32_t max_inline = 256;
  std::uint64_t timestamp_mask = 0;  // 0: no counter
  std::uint64_t kilohertz = 1'000'000;
  std::vector<FakeGid> gids;
  std::string path = "/proc/self";  // what stands for its infiniband_verbs folder
  ibv_device device{};
};

struct FakeDatagram {
  core::Gid from{};
  core::Gid to{};
  std::uint32_t source_qpn = 0;
  std::uint32_t target_qpn = 0;
  std::uint32_t flow_label = 0;
  std::uint8_t traffic_class = 0;
  std::vector<std::byte> payload;
};

class FakeVerbs {
 public:
  static FakeVerbs& instance();

  // Forgets all devices, faults and violations. Nothing may be open.
  void reset();
  FakeDevice& add_device(const std::string& name, const core::Gid& gid);

  // The n-th fallible call from now fails with `error`; 0 for none.
  void fail_nth(int n, int error);
  [[nodiscard]] bool fault_used() const;
  [[nodiscard]] std::vector<std::string> live_objects() const;
  [[nodiscard]] std::vector<std::string> violations() const;
  // Since reset().
  [[nodiscard]] std::uint64_t signalled_sends() const;

  // False drops the datagram. Called without a lock.
  using Filter = std::function<bool(const FakeDatagram&)>;
  void set_filter(Filter filter);
  // Opening memory or a queue pair to others is a violation unless a test expects it.
  void expect_remote_access();
  void raise(const std::string& device, ibv_event_type type);
  void raise_port(const std::string& device, ibv_event_type type, int port);
  void raise_qp(const std::string& device, ibv_event_type type, std::uint32_t qpn);
  // Hands a datagram to whom it is for, as if a stranger had sent it; the Q_Key is the receiver's.
  bool inject(const FakeDatagram& datagram);
  // The device's counter moves by this much at each completion.
  void set_ticks_per_completion(std::uint64_t ticks);

 private:
  FakeVerbs() = default;
};

}  // namespace rdmadiag::test
