// The directory against real HTTP servers: answers, refusals, restarts, a peer that moves.
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "agent/core/clock.h"
#include "exporters/http_server.h"
#include "probes/control_message.h"
#include "probes/directory.h"
#include "tests/support/soon.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

// Look-ups and devices have pauses of their own.
const auto eventually = [](const auto& condition) { return test::soon(condition, 30s); };

const core::SystemClock kClock;

// An agent's control channel.
struct Agent {
  std::atomic<std::uint32_t> epoch = 1;
  std::atomic<bool> broken = false;
  std::atomic<std::uint32_t> qpn = 7;
  std::atomic<int> asked = 0;
  std::function<void()> while_answering = [] {};  // set before anybody asks
  std::unique_ptr<exporters::HttpServer> server;

  Agent() {
    const auto endpoints = [this](const exporters::HttpRequest&) {
      ++asked;
      while_answering();
      if (broken) return exporters::text_response(200, "{");
      RnicEndpoint rnic;
      rnic.device = "mlx5_0";
      rnic.protocol = core::Protocol::kRoce;
      rnic.qpn = qpn;
      return exporters::text_response(
          200, encode_endpoints({.host = "node", .epoch = epoch, .rnics = {rnic}}));
    };
    const auto echo = [](const exporters::HttpRequest& request) {
      if (request.body == "no") return exporters::text_response(409, "it has enough\n");
      return exporters::text_response(200, request.body);
    };
    auto started =
        exporters::HttpServer::start({.listen_addresses = {"127.0.0.1:0"}},
                                     {{exporters::HttpMethod::kGet, "/api/v1/endpoints", endpoints},
                                      {exporters::HttpMethod::kPost, "/api/v1/rc", echo}},
                                     kClock);
    REQUIRE(started);
    server = std::move(*started);
  }
  [[nodiscard]] Peer peer(const std::string& id) const {
    Peer peer;
    peer.id = id;
    peer.address = server->addresses().front();
    return peer;
  }
};

struct Answers {
  std::mutex mutex;
  std::vector<AgentRecord> list;

  Directory::OnAnswer sink() {
    return [this](const AgentRecord& record) {
      const std::scoped_lock hold(mutex);
      list.push_back(record);
    };
  }
  bool any(const std::function<bool(const AgentRecord&)>& matches) {
    const std::scoped_lock hold(mutex);
    return std::ranges::any_of(list, matches);
  }
  std::size_t count() {
    const std::scoped_lock hold(mutex);
    return list.size();
  }
};

// Until the agent, as "b", has answered.
void get_to_know(Directory& directory, const Agent& agent, Answers& answers) {
  directory.set_peers({agent.peer("b")});
  directory.look_up("b");
  REQUIRE(eventually([&] { return answers.count() >= 1; }));
}

AgentRecord record(const Directory& directory, const std::string& id) {
  for (AgentRecord& found : directory.records()) {
    if (found.peer.id == id) return found;
  }
  return {};
}

}  // namespace

TEST_CASE("an agent is asked when told to, and its answer kept") {
  const Agent agent;
  Answers answers;
  Directory directory({.tls = {}, .threads = 2}, kClock, random_from_system(), answers.sink());
  directory.set_peers({agent.peer("b")});
  CHECK(record(directory, "b").reachability == PeerReachability::kUnknown);
  directory.look_up("b");
  directory.look_up("nobody");
  REQUIRE(eventually([&] { return answers.count() == 1; }));
  const AgentRecord known = record(directory, "b");
  CHECK(known.reachability == PeerReachability::kAnswers);
  CHECK(known.problem.empty());
  REQUIRE(known.endpoints);
  CHECK(known.endpoints->rnics.at(0).qpn == 7);
  CHECK(known.answered_at);
}

TEST_CASE("a restart is seen at the next look-up") {
  Agent agent;
  Answers answers;
  Directory directory({}, kClock, random_from_system(), answers.sink());
  get_to_know(directory, agent, answers);
  agent.epoch = 2;
  directory.look_up("b");
  CHECK(eventually([&] {
    return answers.any([](const AgentRecord& r) { return r.endpoints && r.endpoints->epoch == 2; });
  }));
}

TEST_CASE("an agent that has no queue pair at the moment is asked again soon") {
  Agent agent;
  agent.qpn = 0;
  Answers answers;
  Directory directory({}, kClock, random_from_system(), answers.sink());
  get_to_know(directory, agent, answers);
  CHECK(record(directory, "b").endpoints->rnics.at(0).qpn == 0);
  agent.qpn = 8;
  CHECK(eventually([&] { return record(directory, "b").endpoints->rnics.at(0).qpn == 8; }));
}

TEST_CASE("a wish that comes while the agent answers is not forgotten") {
  Agent agent;
  Answers answers;
  Directory directory({}, kClock, random_from_system(), answers.sink());
  agent.while_answering = [&] {
    if (agent.asked == 1) directory.look_up("b");
  };
  directory.set_peers({agent.peer("b")});
  directory.look_up("b");
  CHECK(eventually([&] { return answers.count() >= 2; }));
  CHECK(record(directory, "b").endpoints->rnics.at(0).qpn == 7);
}

TEST_CASE(
    "who refuses and who answers nonsense is told apart, asked again, and keeps its last answer") {
  Agent agent;
  Answers answers;
  Directory directory({}, kClock, random_from_system(), answers.sink());
  get_to_know(directory, agent, answers);
  agent.broken = true;
  directory.look_up("b");
  CHECK(eventually([&] {
    return answers.any([](const AgentRecord& r) { return r.problem == "endpoints: no JSON"; });
  }));
  CHECK(record(directory, "b").endpoints);
  const Peer gone = agent.peer("b");
  agent.server.reset();
  CHECK(eventually([&] {
    return answers.any(
        [](const AgentRecord& r) { return r.reachability == PeerReachability::kRefused; });
  }));
  // It is asked again without being told to.
  const std::size_t before = answers.count();
  CHECK(eventually([&] { return answers.count() >= before + 2; }));
}

TEST_CASE("a peer that moved is asked at its new address, one that vanished is forgotten") {
  const Agent old_place;
  Agent new_place;
  new_place.epoch = 9;
  Answers answers;
  Directory directory({}, kClock, random_from_system(), answers.sink());
  get_to_know(directory, old_place, answers);
  directory.set_peers({new_place.peer("b")});
  CHECK(record(directory, "b").endpoints->epoch == 1);
  CHECK(eventually([&] {
    return answers.any([](const AgentRecord& r) { return r.endpoints && r.endpoints->epoch == 9; });
  }));
  directory.set_peers({});
  CHECK(directory.records().empty());
}

TEST_CASE("a post reaches the peer, and its refusal comes back in its words") {
  const Agent agent;
  Answers answers;
  Directory directory({}, kClock, random_from_system(), answers.sink());
  directory.set_peers({agent.peer("b")});
  std::mutex mutex;
  std::vector<std::string> replies;
  const auto keep = [&](core::Result<std::string> reply) {
    const std::scoped_lock hold(mutex);
    replies.push_back(reply ? *reply : reply.error().message());
  };
  directory.post("b", "/api/v1/rc", "hello", keep);
  directory.post("b", "/api/v1/rc", "no", keep);
  directory.post("nobody", "/api/v1/rc", "hello", keep);
  const std::string refused =
      "POST http://" + agent.peer("b").address + "/api/v1/rc: HTTP status 409: it has enough";
  CHECK(eventually([&] {
    const std::scoped_lock hold(mutex);
    return replies.size() == 3;
  }));
  std::ranges::sort(replies);
  CHECK(replies == std::vector<std::string>{refused, "hello", "no such peer: nobody"});
}
