#include "probes/bench/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostSamples = std::size_t{1} << 20;
constexpr auto kSleep = 100ms;
// A lost message of an unreliable transport is lost for good; a reliable one reports failure by
// itself, and only a peer that stands still is waited for.
constexpr auto kUnreliablePatience = 2s;
constexpr auto kReliablePatience = 10s;

ibv_wr_opcode opcode_of(RcOperation operation) {
  switch (operation) {
    case RcOperation::kSend: return IBV_WR_SEND;
    case RcOperation::kWrite: return IBV_WR_RDMA_WRITE;
    case RcOperation::kRead: return IBV_WR_RDMA_READ;
  }
  return IBV_WR_SEND;
}

bool has_ended(const BenchLimit& limit, core::SteadyTime begin, core::SteadyTime now,
               std::uint64_t done) {
  return (limit.iterations != 0 && done >= limit.iterations) ||
         (limit.duration.count() != 0 && now - begin >= limit.duration);
}

bool was_cancelled(const core::Error& error) {
  return error.code == std::error_code(ECANCELED, std::generic_category());
}

}  // namespace

BenchLoops::BenchLoops(BenchEndpoint& endpoint, const core::Clock& clock,
                       const BenchControl& control)
    : endpoint_(endpoint), clock_(clock), control_(control) {}

void BenchLoops::prepare(std::uint32_t size) {
  received_ = 0;
  for (BenchLane& lane : endpoint_.lanes()) {
    std::memset(lane.received.at(0), 0, size);
    std::memset(lane.sent.at(0), 0, size);
  }
}

std::chrono::seconds BenchLoops::patience() const {
  return endpoint_.plan().transport == BenchTransport::kRc ? kReliablePatience
                                                           : kUnreliablePatience;
}

core::Status BenchLoops::check(const ibv_wc& completion) const {
  if (completion.status == IBV_WC_SUCCESS) return {};
  return core::fail(fmt::format("{}: {} (wc status {}), vendor_err 0x{:x}",
                                endpoint_.device().name(), ibv_wc_status_str(completion.status),
                                static_cast<int>(completion.status), completion.vendor_err));
}

// With what the port says of it: a failure is often no more than a link that went down.
core::Status BenchLoops::explained(core::Status status) const {
  if (status || status.error().code) return status;
  const auto port = endpoint_.device().query_port(endpoint_.port().number);
  std::string text = status.error().what;
  if (!port) {
    text += "; " + port.error().message();
  } else if (!port->is_active()) {
    text += "; port " + std::to_string(endpoint_.port().number) + " of " +
            endpoint_.device().name() + " has gone down";
  } else if (endpoint_.plan().transport != BenchTransport::kRc) {
    text += "; a message or its answer was lost, or the peer has gone";
  }
  return core::fail(std::move(text));
}

core::Status BenchLoops::post(std::size_t number, std::uint32_t size, bool signalled,
                              bool may_inline) {
  BenchLane& lane = endpoint_.lanes()[number];
  const BenchPlan& plan = endpoint_.plan();
  ibv_sge segment = lane.sent.segment(0, size);
  ibv_send_wr request{};
  request.wr_id = number;
  request.sg_list = &segment;
  request.num_sge = 1;
  request.opcode = opcode_of(plan.operation);
  unsigned flags = signalled ? unsigned{IBV_SEND_SIGNALED} : 0;
  // A read has nothing to send: the flag would put data where the address of the answer belongs.
  const bool sends = plan.operation != RcOperation::kRead;
  if (may_inline && sends && size <= lane.inline_bytes) flags |= IBV_SEND_INLINE;
  request.send_flags = flags;
  if (plan.transport == BenchTransport::kUd) {
    request.wr.ud.ah = lane.address.get();
    request.wr.ud.remote_qpn = lane.remote_qpn;
    request.wr.ud.remote_qkey = endpoint_.remote_qkey();
  } else if (plan.operation != RcOperation::kSend) {
    request.wr.rdma.remote_addr = lane.remote_address;
    request.wr.rdma.rkey = lane.remote_key;
  }
  ibv_send_wr* bad = nullptr;
  if (const int error = ibv_post_send(lane.qp.get(), &request, &bad); error != 0) {
    return core::errno_error(error, "ibv_post_send");
  }
  return {};
}

core::Status BenchLoops::sleep(BenchQueue& queue, BenchWatch& watch) {
  if (!endpoint_.plan().events) return watch.idle();
  if (auto slept = queue.wait(kSleep); !slept) return slept;
  return watch.look();
}

core::Result<ibv_wc> BenchLoops::await(BenchQueue& queue, BenchWatch& watch) {
  std::array<ibv_wc, 1> completion;
  while (true) {
    const int count = queue.poll(completion);
    if (count < 0) return core::errno_error(EIO, "ibv_poll_cq");
    if (count == 1) {
      watch.reset();
      if (auto good = check(completion[0]); !good) return tl::make_unexpected(good.error());
      return completion[0];
    }
    if (auto going = sleep(queue, watch); !going) return tl::make_unexpected(going.error());
  }
}

core::Status BenchLoops::await_send(BenchWatch& watch) {
  const auto completion = await(endpoint_.sends(), watch);
  if (!completion) return tl::make_unexpected(completion.error());
  return {};
}

core::Status BenchLoops::post_message(std::uint32_t size, std::uint8_t number) {
  BenchLane& lane = endpoint_.lanes().front();
  *lane.sent.at(size - 1) = std::byte{number};
  return post(0, size, true, true);
}

// The other end's message with this number: seen in memory for write, by a completion for send.
core::Status BenchLoops::await_message(std::uint32_t size, std::uint8_t expected,
                                       BenchWatch& watch) {
  if (endpoint_.plan().operation == RcOperation::kSend) {
    const auto completion = await(endpoint_.receives(), watch);
    if (!completion) return tl::make_unexpected(completion.error());
    ++received_;
    return endpoint_.post_receive(completion->wr_id);
  }
  const volatile std::byte* last = endpoint_.lanes().front().received.at(size - 1);
  while (*last != std::byte{expected}) {
    if (auto going = watch.idle(); !going) return going;
  }
  ++received_;
  watch.reset();
  return {};
}

core::Result<std::vector<std::chrono::nanoseconds>> BenchLoops::latency(std::uint32_t size,
                                                                        const BenchLimit& limit) {
  BenchWatch watch(control_, clock_, patience());
  const bool is_read = endpoint_.plan().operation == RcOperation::kRead;
  std::vector<std::chrono::nanoseconds> trips;
  trips.reserve(limit.iterations != 0 ? std::min<std::uint64_t>(limit.iterations, kMostSamples)
                                      : kMostSamples);
  const core::SteadyTime begin = clock_.steady();
  core::SteadyTime posted = begin;
  while (trips.size() < kMostSamples) {
    const auto number = static_cast<std::uint8_t>(trips.size() + 1);
    core::Status done = post_message(size, number);
    if (done) done = await_send(watch);
    if (done && !is_read) done = await_message(size, number, watch);
    if (done = explained(done); !done) return tl::make_unexpected(done.error());
    const core::SteadyTime now = clock_.steady();
    trips.push_back(now - posted);
    posted = now;
    if (has_ended(limit, begin, now, trips.size())) break;
  }
  return trips;
}

core::Status BenchLoops::answer_once(std::uint32_t size, std::uint8_t number, BenchWatch& watch) {
  if (auto came = await_message(size, number, watch); !came) return came;
  if (auto posted = post_message(size, number); !posted) return posted;
  return await_send(watch);
}

core::Status BenchLoops::answer(std::uint32_t size) {
  BenchWatch watch(control_, clock_, 0s);
  std::uint8_t number = 0;
  while (true) {
    core::Status done = answer_once(size, ++number, watch);
    if (done) continue;
    return was_cancelled(done.error()) ? core::Status{} : explained(std::move(done));
  }
}

core::Result<std::size_t> BenchLoops::take_receives() {
  std::array<ibv_wc, 16> completions;
  const int count = endpoint_.receives().poll(completions);
  if (count < 0) return core::errno_error(EIO, "ibv_poll_cq");
  for (const ibv_wc& completion : std::span(completions).first(static_cast<std::size_t>(count))) {
    if (auto good = check(completion); !good) return tl::make_unexpected(good.error());
    ++received_;
    if (auto posted = endpoint_.post_receive(completion.wr_id); !posted) {
      return tl::make_unexpected(posted.error());
    }
  }
  return static_cast<std::size_t>(count);
}

core::Status BenchLoops::receive() {
  BenchWatch watch(control_, clock_, 0s);
  while (true) {
    const auto taken = take_receives();
    if (!taken) return explained(tl::make_unexpected(taken.error()));
    if (*taken > 0) continue;
    auto going = sleep(endpoint_.receives(), watch);
    if (going) continue;
    return was_cancelled(going.error()) ? take_rest() : explained(std::move(going));
  }
}

// What arrived between the last look and the word to stop counts too.
core::Status BenchLoops::take_rest() {
  while (true) {
    const auto taken = take_receives();
    if (!taken) return explained(tl::make_unexpected(taken.error()));
    if (*taken == 0) return {};
  }
}

}  // namespace rdmadiag::probes
