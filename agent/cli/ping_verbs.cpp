#include "agent/cli/ping_verbs.h"

#include <mutex>
#include <utility>

#include "agent/core/clock.h"
#include "probes/random.h"
#include "probes/verbs/port_thread.h"
#include "probes/verbs/port_users.h"

namespace rdmadiag::cli {
namespace {

class VerbsPing final : public PingSession {
 public:
  explicit VerbsPing(const PingRequest& request)
      : user_(make_user(request)),
        thread_({.name = request.device, .node_guid = {}}, request.port, "ping", user_, clock()) {
    probes::ProbeTarget target;
    target.peer = request.peer;
    target.scope = core::ProbeScope::kManual;
    target.interval = request.interval;
    thread_.post([user = user_, target, endpoint = request.endpoint] {
      user->prober().keep_decided();
      user->prober().set_targets({target});
      user->prober().set_peer(target.peer, endpoint, probes::PeerReachability::kAnswers);
    });
  }

  std::vector<probes::DecidedProbe> take() override {
    const auto shared = shared_;
    thread_.post([shared, user = user_] {
      std::vector<probes::DecidedProbe> fresh = user->prober().take_kept();
      const std::scoped_lock hold(shared->mutex);
      shared->decided.insert(shared->decided.end(), fresh.begin(), fresh.end());
    });
    const std::scoped_lock hold(shared->mutex);
    return std::exchange(shared->decided, {});
  }

  std::string problem() const override {
    const probes::PortState state = thread_.state();
    return state.usable ? std::string() : state.problem;
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::vector<probes::DecidedProbe> decided;
  };

  static std::shared_ptr<const core::Clock> clock() {
    static const auto kClock = std::make_shared<const core::SystemClock>();
    return kClock;
  }

  static std::shared_ptr<probes::ProberUser> make_user(const PingRequest& request) {
    const probes::RandomSource random = probes::random_from_system();
    auto keys = std::make_shared<probes::KeyRing>(probes::make_local_key());
    keys->set_shared({request.key});
    probes::ProberOptions datagrams;
    datagrams.epoch = probes::make_epoch(random);
    datagrams.limits.timeout = request.timeout;
    datagrams.labels = request.labels;
    datagrams.traffic_class = request.traffic_class;
    probes::RcProberOptions connections;
    connections.epoch = datagrams.epoch;
    connections.max_connections = 0;
    probes::ProberUser::Wishes nothing{.look_up = [](const auto&) {},
                                       .connect = [](const auto&) {}};
    return std::make_shared<probes::ProberUser>(datagrams, connections, std::move(keys), random,
                                                clock(), std::move(nothing));
  }

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::shared_ptr<probes::ProberUser> user_;
  probes::PortThread thread_;  // last: it uses the others
};

}  // namespace

std::unique_ptr<PingSession> open_ping(const PingRequest& request) {
  return std::make_unique<VerbsPing>(request);
}

}  // namespace rdmadiag::cli
