#include "probes/verbs/ud_endpoint.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "probes/wire.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kKept = kPacketHeaderSize + kMessageSize;  // of each datagram
constexpr std::size_t kReceiveStride = 128;
constexpr std::size_t kSendStride = kMessageSize;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kBatch = 32;
static_assert(kKept <= kReceiveStride);

std::size_t scrap_size(const UdEndpointOptions& options) {
  return std::max<std::size_t>(kPage, static_cast<std::size_t>(options.mtu_bytes));
}

}  // namespace

UdEndpoint::UdEndpoint(const UdEndpointOptions& options, const core::Clock& clock,
                       const DeviceClock& device_clock, ProtectionDomain domain,
                       CompletionQueue queue)
    : options_(options),
      clock_(clock),
      device_clock_(device_clock),
      domain_(std::move(domain)),
      queue_(std::move(queue)),
      addresses_(domain_.get(), options.port, options.addresses) {}

core::Result<std::unique_ptr<UdEndpoint>> UdEndpoint::create(const Device& device,
                                                             const UdEndpointOptions& options,
                                                             const core::Clock& clock) {
  ProtectionDomain domain(ibv_alloc_pd(device.context()));
  if (!domain) return core::errno_error(errno, "ibv_alloc_pd");
  const auto entries = static_cast<int>(options.queue_pairs * (options.sends + options.receives));
  auto queue = CompletionQueue::create(device, entries);
  if (!queue) return tl::make_unexpected(queue.error());
  const DeviceClock device_clock = queue->has_device_time() ? device.clock() : DeviceClock{};
  std::unique_ptr<UdEndpoint> endpoint(
      new UdEndpoint(options, clock, device_clock, std::move(domain), std::move(*queue)));
  if (auto built = endpoint->build(); !built) return tl::make_unexpected(built.error());
  return endpoint;
}

core::Status UdEndpoint::build() {
  auto memory = RegisteredMemory::create(domain_.get(), scrap_offset() + 2 * scrap_size(options_));
  if (!memory) return tl::make_unexpected(memory.error());
  memory_ = std::move(*memory);
  const QueueSizes sizes{.sends = options_.sends,
                         .receives = options_.receives,
                         .inline_bytes = kMessageSize,
                         .receive_segments = 2};
  for (std::size_t i = 0; i < options_.queue_pairs; ++i) {
    auto created = create_queue_pair(domain_.get(), queue_.get(), IBV_QPT_UD, sizes);
    if (!created) return tl::make_unexpected(created.error());
    Pair pair;
    pair.qp = std::move(created->handle);
    pair.inline_bytes = created->inline_bytes;
    if (auto ready = ready_ud(pair.qp.get(), options_.port, options_.qkey); !ready) return ready;
    pairs_.push_back(std::move(pair));
  }
  return post_all_receives();
}

std::size_t UdEndpoint::receive_offset(std::size_t qp, std::uint32_t slot) const {
  return (qp * options_.receives + slot) * kReceiveStride;
}

std::size_t UdEndpoint::send_offset(std::size_t qp, std::uint32_t slot) const {
  return receive_offset(options_.queue_pairs, 0) + (qp * options_.sends + slot) * kSendStride;
}

// Twice: the tails of what is received, then zeros for the padding of what is sent.
std::size_t UdEndpoint::scrap_offset() const { return send_offset(options_.queue_pairs, 0); }

core::Status UdEndpoint::post_receive(std::size_t qp, std::uint32_t slot) {
  std::array<ibv_sge, 2> segments = {memory_.segment(receive_offset(qp, slot), kKept),
                                     memory_.segment(scrap_offset(), scrap_size(options_))};
  ibv_recv_wr request{};
  request.wr_id =
      pack({WorkKind::kReceive, static_cast<std::uint32_t>(qp), static_cast<std::uint16_t>(slot)});
  request.sg_list = segments.data();
  request.num_sge = static_cast<int>(segments.size());
  ibv_recv_wr* bad = nullptr;
  if (const int error = ibv_post_recv(pairs_[qp].qp.get(), &request, &bad); error != 0) {
    return core::errno_error(error, "ibv_post_recv");
  }
  return {};
}

core::Status UdEndpoint::post_all_receives() {
  for (std::size_t qp = 0; qp < pairs_.size(); ++qp) {
    for (std::uint32_t slot = 0; slot < options_.receives; ++slot) {
      if (auto posted = post_receive(qp, slot); !posted) return posted;
    }
  }
  return {};
}

std::uint32_t UdEndpoint::qpn(std::size_t qp) const { return pairs_[qp].qp->qp_num; }

bool UdEndpoint::owns(std::uint32_t qpn) const { return pair_of(qpn) < pairs_.size(); }

std::size_t UdEndpoint::pair_of(std::uint32_t qpn) const {
  const auto found =
      std::ranges::find_if(pairs_, [qpn](const Pair& pair) { return pair.qp->qp_num == qpn; });
  return static_cast<std::size_t>(found - pairs_.begin());
}

void UdEndpoint::move_gid(const core::GidEntry& gid) {
  if (options_.gid.index == gid.index && options_.gid.gid == gid.gid) return;
  options_.gid = gid;
  addresses_.clear();
}

core::Result<AddressCache::Handle> UdEndpoint::address(const UdAddress& to, std::uint32_t label,
                                                       std::uint8_t traffic_class) {
  return addresses_.get({to.gid, to.lid, label, traffic_class}, options_.gid.index,
                        clock_.steady());
}

Posted UdEndpoint::send(std::size_t qp, const UdSend& send) {
  Pair& pair = pairs_[qp];
  if (pair.in_flight.size() >= options_.sends) {
    last_error_ = "the send queue is full";
    return Posted::kQueueFull;
  }
  auto handle = address(send.to, send.label, send.traffic_class);
  if (!handle) {
    last_error_ = handle.error().message();
    return Posted::kNoAddress;
  }
  const Posted posted = post_send(pair, qp, send, handle->get());
  if (posted == Posted::kYes) pair.in_flight.push_back(std::move(*handle));
  return posted;
}

Posted UdEndpoint::post_send(Pair& pair, std::size_t qp, const UdSend& send, ibv_ah* address) {
  const std::uint32_t slot = pair.next_send_slot;
  pair.next_send_slot = (slot + 1) % options_.sends;
  std::memcpy(memory_.at(send_offset(qp, slot)), send.payload.data(),
              std::min(send.payload.size(), kSendStride));
  const bool padded = send.length > kSendStride;
  const std::size_t zeros = scrap_offset() + scrap_size(options_);
  std::array<ibv_sge, 2> segments = {
      memory_.segment(send_offset(qp, slot), kSendStride),
      memory_.segment(zeros, padded ? send.length - kSendStride : 0)};
  ibv_send_wr request{};
  request.wr_id = pack(send.id);
  request.sg_list = segments.data();
  request.num_sge = padded ? 2 : 1;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_SIGNALED;
  if (!padded && pair.inline_bytes >= kSendStride) request.send_flags |= IBV_SEND_INLINE;
  request.wr.ud.ah = address;
  request.wr.ud.remote_qpn = send.to.qpn;
  request.wr.ud.remote_qkey = send.to.qkey;
  ibv_send_wr* bad = nullptr;
  if (const int error = ibv_post_send(pair.qp.get(), &request, &bad); error != 0) {
    last_error_ =
        core::Error{std::error_code(error, std::generic_category()), "ibv_post_send"}.message();
    return Posted::kFailed;
  }
  return Posted::kYes;
}

core::Result<std::size_t> UdEndpoint::poll(UdEvents& events) {
  std::array<WorkCompletion, kBatch> batch{};
  const auto count = queue_.poll(batch);
  if (!count) {
    broken_ = true;
    return tl::make_unexpected(count.error());
  }
  // One time for all: what is done about the first of them is no latency of the next.
  const core::SteadyTime polled = clock_.steady();
  for (std::size_t i = 0; i < *count; ++i) hand_out(batch[i], polled, events);
  return *count;
}

void UdEndpoint::hand_out(const WorkCompletion& completion, core::SteadyTime polled,
                          UdEvents& events) {
  const Tick tick{polled, completion.device_ticks};
  const WorkId id = unpack_work_id(completion.work_id);
  if (!completion.success()) broken_ = true;
  if (id.kind == WorkKind::kReceive) {
    if (completion.success()) hand_out_receive(completion, id, tick, events);
    return;
  }
  const std::size_t qp = pair_of(completion.qpn);
  if (qp < pairs_.size() && !pairs_[qp].in_flight.empty()) pairs_[qp].in_flight.pop_front();
  events.sent(id, completion.success(), tick);
}

void UdEndpoint::hand_out_receive(const WorkCompletion& completion, const WorkId& id,
                                  const Tick& tick, UdEvents& events) {
  const std::size_t qp = id.generation;
  const std::uint32_t slot = id.slot;
  const std::span<const std::byte> kept(memory_.at(receive_offset(qp, slot)), kKept);
  const auto header = parse_packet_header(kept.first<kPacketHeaderSize>());
  const std::size_t length =
      completion.bytes > kPacketHeaderSize ? completion.bytes - kPacketHeaderSize : 0;
  if (!header) {
    events.received_malformed();
  } else {
    events.received({.qp = qp,
                     .header = *header,
                     .source_qpn = completion.source_qpn,
                     .source_lid = completion.source_lid,
                     .payload = kept.subspan(kPacketHeaderSize, std::min(length, kMessageSize)),
                     .length = length,
                     .tick = tick});
  }
  if (!post_receive(qp, slot)) broken_ = true;
}

}  // namespace rdmadiag::probes
