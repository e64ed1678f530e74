#include "probes/verbs/answering_port.h"

#include <future>
#include <utility>

namespace rdmadiag::probes {
namespace {

constexpr auto kAcceptWithin = std::chrono::seconds(1);

}  // namespace

AnsweringPort::AnsweringPort(AnsweringPortOptions options, std::shared_ptr<const KeyRing> keys,
                             const RandomSource& random, std::shared_ptr<const core::Clock> clock)
    : options_(std::move(options)),
      clock_(clock),
      user_(std::make_shared<ResponderUser>(options_.acceptor, std::move(keys), random, clock)),
      thread_(options_.device, options_.port, "answer " + options_.device.name, user_, clock) {}

void AnsweringPort::set_keys(std::shared_ptr<const KeyRing> keys) {
  thread_.post([user = user_.get(), keys = std::move(keys)] { user->responder().set_keys(keys); });
}

core::Result<RcParameters> AnsweringPort::accept(const std::string& peer,
                                                 const RcParameters& remote) {
  using Answer = core::Result<RcParameters>;
  const auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = promise->get_future();
  const bool posted = thread_.post([user = user_.get(), promise, peer, remote] {
    promise->set_value(user->acceptor().accept(peer, remote));
  });
  if (!posted || answer.wait_for(kAcceptWithin) != std::future_status::ready)
    return core::fail("the device does not answer in time");
  return answer.get();
}

RnicEndpoint AnsweringPort::endpoint() const {
  const PortState state = thread_.state();
  const bool opened = state.protocol != core::Protocol::kUnknown;
  return {.device = options_.device.name,
          .port = options_.port,
          .protocol = opened ? state.protocol : options_.protocol,
          .leaf = options_.leaf,
          .rail = options_.rail,
          .pod = options_.pod,
          .gid = state.gid,
          .lid = state.lid,
          // Told together with the address it is reached at, which the thread publishes last.
          .qpn = opened ? user_->qpn() : 0,
          .qkey = qkey_of_epoch(options_.acceptor.epoch),
          .mtu_bytes = state.mtu_bytes,
          .problem = problem_of(state, clock_->steady())};
}

}  // namespace rdmadiag::probes
