// What stands behind FakeVerbs and the C functions that libibverbs would have. All under one lock.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "tests/support/fake_verbs.h"

namespace rdmadiag::test {

struct FakeContext {
  verbs_context verbs{};
  FakeDevice* device = nullptr;
  std::deque<ibv_async_event> events;
};

struct FakeChannel {
  ibv_comp_channel channel{};
  std::deque<ibv_cq*> events;
};

struct FakeCompletion {
  ibv_wc wc{};
  std::uint64_t ticks = 0;
};

struct FakeCq {
  ibv_cq_ex cq{};  // begins like an ibv_cq
  bool armed = false;
  std::size_t depth = 0;
  std::deque<FakeCompletion> completions;
  FakeCompletion current;
  bool polling = false;
  unsigned unacknowledged = 0;
};

struct FakeReceive {
  std::uint64_t id = 0;
  std::vector<ibv_sge> segments;
};

struct FakeQp {
  ibv_qp qp{};
  FakeContext* context = nullptr;
  ibv_qp_cap caps{};
  std::uint32_t qkey = 0;
  std::uint32_t remote_qpn = 0;
  std::uint32_t rq_psn = 0;
  std::uint32_t sq_psn = 0;
  core::Gid remote_gid{};
  std::uint32_t gid_index = 0;
  unsigned access = 0;
  bool signals_all = true;
  std::deque<FakeReceive> receives;
  std::size_t sends_in_flight = 0;
};

struct FakeAh {
  ibv_ah ah{};
  ibv_ah_attr attributes{};
};

struct FakeState {
  std::recursive_mutex lock;
  std::list<FakeDevice> devices;
  std::map<void*, std::string> live;  // every object and its kind
  std::set<FakeQp*> qps;
  std::map<ibv_mr*, int> regions;  // and who may do what
  std::uint32_t next_key = 100;
  bool remote_access_expected = false;
  std::vector<std::string> violations;
  std::uint64_t signalled_sends = 0;
  FakeVerbs::Filter filter;
  int calls_until_fault = 0;
  int fault_error = 0;
  bool fault_used = false;
  std::uint32_t next_qpn = 0x11;
  std::uint64_t ticks = 0;
  std::uint64_t ticks_per_completion = 1000;

  // True when this call is the one that fails; errno is set.
  bool fails();
  void violate(const std::string& what) { violations.push_back(what); }
  void add(void* object, const std::string& kind) { live.emplace(object, kind); }
  // Forgets an object; `blockers` lists kinds with a pointer to what they hold.
  void remove(void* object, const std::string& kind);

  void complete(ibv_cq* queue, const ibv_wc& wc);
  bool deliver(const FakeDatagram& datagram, const std::uint32_t* qkey);
  int post_send(FakeQp& qp, const ibv_send_wr& request);
  // Of `context` alone, or of every context of the device.
  void raise(const std::string& device, const ibv_async_event& event, const ibv_context* context);
};

FakeState& fake_state();

}  // namespace rdmadiag::test
