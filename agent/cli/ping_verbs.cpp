#include "agent/cli/ping_verbs.h"

#include <mutex>
#include <utility>

#include "agent/core/clock.h"
#include "probes/random.h"
#include "probes/verbs/port_thread.h"
#include "probes/verbs/port_users.h"

namespace rdmadiag::cli {
namespace {

std::shared_ptr<const core::Clock> real_clock() {
  static const auto kClock = std::make_shared<const core::SystemClock>();
  return kClock;
}

probes::DeviceIdentity device_of(const PingPath& path) {
  return {.name = path.device, .node_guid = {}};
}

// What the port's thread hands to the command's.
template <class Item>
class Handover {
 public:
  void add(const std::vector<Item>& items) {
    const std::scoped_lock hold(mutex_);
    items_.insert(items_.end(), items.begin(), items.end());
  }
  [[nodiscard]] std::vector<Item> take() {
    const std::scoped_lock hold(mutex_);
    return std::exchange(items_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Item> items_;
};

class VerbsPing final : public PingSession {
 public:
  explicit VerbsPing(const PingRequest& request)
      : user_(make_user(request)),
        thread_(device_of(request.path), request.path.port, "ping", user_, real_clock()) {
    probes::ProbeTarget target;
    target.peer = request.path.peer;
    target.scope = core::ProbeScope::kManual;
    target.interval = request.interval;
    target.most = request.count;
    const probes::PeerEndpoint endpoint = request.path.remote.target(request.path.remote_epoch);
    thread_.post([user = user_, target, endpoint] {
      user->prober().keep_decided();
      user->prober().set_targets({target});
      user->prober().set_peer(target.peer, endpoint, probes::PeerReachability::kAnswers);
    });
  }

  std::vector<probes::DecidedProbe> take() override {
    thread_.post([decided = decided_, user = user_] { decided->add(user->prober().take_kept()); });
    return decided_->take();
  }

  std::string problem() const override {
    return probes::problem_of(thread_.state(), real_clock()->steady());
  }

 private:
  static std::shared_ptr<probes::ProberUser> make_user(const PingRequest& request) {
    const probes::RandomSource random = probes::random_from_system();
    auto keys = std::make_shared<probes::KeyRing>(probes::make_local_key());
    keys->set_shared({request.key});
    probes::ProberOptions datagrams;
    datagrams.epoch = probes::make_epoch(random);
    datagrams.limits.timeout = request.timeout;
    datagrams.labels = request.labels;
    datagrams.traffic_class = request.path.traffic_class;
    probes::RcProberOptions connections;
    connections.epoch = datagrams.epoch;
    connections.max_connections = 0;
    probes::ProberUser::Wishes nothing{.look_up = [](const auto&) {},
                                       .connect = [](const auto&) {}};
    return std::make_shared<probes::ProberUser>(datagrams, connections, std::move(keys), random,
                                                real_clock(), std::move(nothing));
  }

  std::shared_ptr<Handover<probes::DecidedProbe>> decided_ =
      std::make_shared<Handover<probes::DecidedProbe>>();
  std::shared_ptr<probes::ProberUser> user_;
  probes::PortThread thread_;  // last: it uses the others
};

class VerbsRcPing final : public RcPingSession {
 public:
  explicit VerbsRcPing(const RcPingRequest& request)
      : user_(make_user(request, requests_)),
        thread_(device_of(request.path), request.path.port, "ping", user_, real_clock()) {
    const probes::RcTarget target{.peer = request.path.peer, .hash = 0};
    thread_.post([user = user_, target] {
      user->rc_prober().keep_records();
      user->rc_prober().set_targets({target});
    });
  }

  std::vector<probes::RcRecord> take() override {
    thread_.post(
        [records = records_, user = user_] { records->add(user->rc_prober().take_records()); });
    return records_->take();
  }

  std::vector<probes::RcRequest> take_requests() override { return requests_->take(); }

  void answered(std::uint64_t id, const core::Result<probes::RcParameters>& answer) override {
    thread_.post([user = user_, id, answer] { user->rc_prober().answered(id, answer); });
  }

  std::string problem() const override {
    return probes::problem_of(thread_.state(), real_clock()->steady());
  }

 private:
  using Requests = std::shared_ptr<Handover<probes::RcRequest>>;

  static std::shared_ptr<probes::ProberUser> make_user(const RcPingRequest& request,
                                                       const Requests& requests) {
    const probes::RandomSource random = probes::random_from_system();
    probes::ProberOptions datagrams;
    datagrams.epoch = probes::make_epoch(random);
    probes::RcProberOptions connections;
    connections.epoch = datagrams.epoch;
    connections.interval = request.interval;
    connections.max_connections = 1;
    connections.limits.completion = kRcPingCompletion;
    connections.traffic_class = request.path.traffic_class;
    connections.operation = request.operation;
    connections.service = request.service;
    probes::ProberUser::Wishes wishes{
        .look_up = [](const auto&) {},
        .connect =
            [requests](const std::vector<probes::RcRequest>& fresh) { requests->add(fresh); }};
    return std::make_shared<probes::ProberUser>(
        datagrams, connections, std::make_shared<probes::KeyRing>(probes::make_local_key()), random,
        real_clock(), std::move(wishes));
  }

  std::shared_ptr<Handover<probes::RcRecord>> records_ =
      std::make_shared<Handover<probes::RcRecord>>();
  Requests requests_ = std::make_shared<Handover<probes::RcRequest>>();
  std::shared_ptr<probes::ProberUser> user_;
  probes::PortThread thread_;  // last: it uses the others
};

}  // namespace

std::unique_ptr<PingSession> open_ping(const PingRequest& request) {
  return std::make_unique<VerbsPing>(request);
}

std::unique_ptr<RcPingSession> open_rc_ping(const RcPingRequest& request) {
  return std::make_unique<VerbsRcPing>(request);
}

}  // namespace rdmadiag::cli
