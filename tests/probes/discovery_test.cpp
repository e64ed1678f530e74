#include "probes/discovery/discovery.h"

#include <catch2/catch.hpp>
#include <condition_variable>

#include "probes/discovery/static_source.h"
#include "tests/support/manual_clock.h"

using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

Peer peer(const std::string& id, const std::string& address = "h:1") {
  return {.id = id, .address = address};
}

// Publishes what the test gives it, when the test says so.
class ScriptedSource final : public PeerSource {
 public:
  struct Script {
    std::mutex mutex;
    const Publish* publish = nullptr;
    std::condition_variable running;

    void say(rdmadiag::core::Result<SourceReading> reading) {
      std::unique_lock lock(mutex);
      running.wait(lock, [this] { return publish != nullptr; });
      (*publish)(std::move(reading));
    }
  };

  explicit ScriptedSource(Script& script) : script_(script) {}
  [[nodiscard]] std::string name() const override { return "scripted"; }
  void run(const StopEvent& stop, const Publish& publish) override {
    {
      const std::scoped_lock lock(script_.mutex);
      script_.publish = &publish;
    }
    script_.running.notify_all();
    stop.wait(1h);
    const std::scoped_lock lock(script_.mutex);
    script_.publish = nullptr;
  }

 private:
  Script& script_;
};

std::vector<std::unique_ptr<PeerSource>> two(ScriptedSource::Script& a, ScriptedSource::Script& b) {
  std::vector<std::unique_ptr<PeerSource>> sources;
  sources.push_back(std::make_unique<ScriptedSource>(a));
  sources.push_back(std::make_unique<ScriptedSource>(b));
  return sources;
}

}  // namespace

TEST_CASE("lists are merged, sorted, and the first source to know a peer wins") {
  bool truncated = true;
  CHECK(merge_peers({{peer("b", "x:1"), peer("c")}, {peer("a"), peer("b", "y:1")}, {}},
                    truncated) == std::vector<Peer>{peer("a"), peer("b", "x:1"), peer("c")});
  CHECK_FALSE(truncated);
  std::vector<Peer> many;
  for (std::size_t i = 0; i < kMaxPeers; ++i) many.push_back(peer(std::to_string(i)));
  CHECK(merge_peers({many, {peer("0")}}, truncated).size() == kMaxPeers);
  CHECK_FALSE(truncated);
  CHECK(merge_peers({many, {peer("x")}}, truncated).size() == kMaxPeers);
  CHECK(truncated);
}

TEST_CASE("a source that fails keeps its peers and disturbs no other") {
  ScriptedSource::Script a;
  ScriptedSource::Script b;
  const rdmadiag::test::ManualClock clock;
  std::vector<std::size_t> sizes;
  Discovery discovery(two(a, b), clock, [&](const std::shared_ptr<const PeerSet>& set) {
    sizes.push_back(set->peers.size());
  });
  CHECK(discovery.current()->peers.empty());
  a.say(SourceReading{.peers = {peer("a1"), peer("a2")}});
  b.say(SourceReading{.peers = {peer("b1")}, .problem = "one was bad"});
  a.say(rdmadiag::core::fail("broken"));
  const auto set = discovery.current();
  CHECK(set->peers == std::vector<Peer>{peer("a1"), peer("a2"), peer("b1")});
  REQUIRE(set->sources.size() == 2);
  CHECK_FALSE(set->sources[0].ok);
  CHECK(set->sources[0].problem == "broken");
  CHECK(set->sources[0].peers == 2);
  CHECK(set->sources[0].last_success == rdmadiag::test::ManualClock::kStart);
  CHECK(set->sources[1].ok);
  CHECK(set->sources[1].problem == "one was bad");
  CHECK(sizes == std::vector<std::size_t>{2, 3});
}

TEST_CASE("the change is told only when there is one, also when only an address moved") {
  ScriptedSource::Script a;
  ScriptedSource::Script b;
  const rdmadiag::test::ManualClock clock;
  std::vector<std::string> addresses;
  Discovery discovery(two(a, b), clock, [&](const std::shared_ptr<const PeerSet>& set) {
    addresses.push_back(set->peers.empty() ? "none" : set->peers.front().address);
  });
  a.say(SourceReading{.peers = {peer("a", "x:1")}});
  a.say(SourceReading{.peers = {peer("a", "x:1")}});
  a.say(rdmadiag::core::fail("broken"));
  a.say(SourceReading{.peers = {peer("a", "x:1")}});
  a.say(SourceReading{.peers = {peer("a", "y:1")}});
  a.say(SourceReading{});
  CHECK(addresses == std::vector<std::string>{"x:1", "y:1", "none"});
  CHECK(discovery.current()->sources[0].problem.empty());
}

TEST_CASE("peers of the configuration are there, and stopping waits for nobody") {
  std::vector<std::unique_ptr<PeerSource>> sources;
  sources.push_back(std::make_unique<StaticSource>(SourceReading{.peers = {peer("a")}}));
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t known = 0;
  const rdmadiag::test::ManualClock clock;
  const Discovery discovery(std::move(sources), clock,
                            [&](const std::shared_ptr<const PeerSet>& set) {
                              const std::scoped_lock lock(mutex);
                              known = set->peers.size();
                              changed.notify_all();
                            });
  std::unique_lock lock(mutex);
  CHECK(changed.wait_for(lock, 60s, [&] { return known == 1; }));
}
