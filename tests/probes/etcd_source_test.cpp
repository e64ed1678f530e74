// Against a real etcd on loopback.
#include "probes/discovery/etcd_source.h"

#include <signal.h>

#include <catch2/catch.hpp>

#include "tests/exporters/temp_folder.h"
#include "tests/probes/child_process.h"
#include "tests/probes/published.h"

using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

struct Etcd {
  TempFolder folder;
  std::string client_url = "http://127.0.0.1:" + std::to_string(free_port());
  std::string peer_url = "http://127.0.0.1:" + std::to_string(free_port());
  StopEvent never;
  EtcdClient client{{client_url}, {}, never};
  std::unique_ptr<ChildProcess> process;

  Etcd() { start(); }

  // Without syncing to the disk: the tests need no durable store.
  void start() {
    process = std::make_unique<ChildProcess>(
        std::vector<std::string>{
            "etcd", "--name=t", "--data-dir=" + (folder.path() / "d").string(),
            "--listen-client-urls=" + client_url, "--advertise-client-urls=" + client_url,
            "--listen-peer-urls=" + peer_url, "--initial-advertise-peer-urls=" + peer_url,
            "--initial-cluster=t=" + peer_url},
        folder.path() / "log");
    while (process->is_running() && !client.list("/")) never.wait(10ms);
    REQUIRE(process->is_running());
  }

  [[nodiscard]] std::unique_ptr<EtcdSource> source(std::optional<Peer> self = std::nullopt,
                                                   std::chrono::seconds ttl = 30s) const {
    return std::make_unique<EtcdSource>(EtcdSourceOptions{
        .endpoints = {client_url}, .prefix = "/rdmadiag/", .ttl = ttl, .self = std::move(self)});
  }
};

Peer host(const std::string& name, const std::string& address) {
  return {.id = name, .address = address, .leaf = "leaf-1"};
}

}  // namespace

TEST_CASE("agents find each other, and who stops is gone at once") {
  const Etcd etcd;
  RunningSource looker(etcd.source());
  CHECK(looker.wait_for_addresses({}));
  RunningSource a(etcd.source(host("a", "a:1")));
  CHECK(looker.wait_for_addresses({"a:1"}));
  CHECK(a.wait_for_addresses({"a:1"}));
  {
    RunningSource b(etcd.source(host("b", "b:1")));
    CHECK(looker.wait_for([](const RunningSource::Reading& reading) {
      return reading && reading->peers == std::vector<Peer>{host("a", "a:1"), host("b", "b:1")};
    }));
    CHECK(a.wait_for_addresses({"a:1", "b:1"}));
  }
  CHECK(looker.wait_for_addresses({"a:1"}));
}

TEST_CASE("an agent that comes back elsewhere is still the same one") {
  const Etcd etcd;
  RunningSource looker(etcd.source());
  {
    RunningSource before(etcd.source(host("a", "192.0.2.1:1")));
    CHECK(looker.wait_for_addresses({"192.0.2.1:1"}));
  }
  RunningSource after(etcd.source(host("a", "192.0.2.2:1")));
  CHECK(looker.wait_for([](const RunningSource::Reading& reading) {
    return reading && reading->peers == std::vector<Peer>{host("a", "192.0.2.2:1")};
  }));
}

TEST_CASE(
    "a registration outlives its time to live while the agent does, and a lost lease is renewed") {
  Etcd etcd;
  RunningSource a(etcd.source(host("a", "a:1"), 3s));
  CHECK(a.wait_for_addresses({"a:1"}));
  // What an etcd that lost the lease looks like: the key is gone though the agent is there.
  const auto list = etcd.client.list("/rdmadiag/");
  REQUIRE(list);
  REQUIRE(list->entries.size() == 1);
  const auto leases =
      HttpClient({}, etcd.never).post_json(etcd.client_url + "/v3/lease/leases", "{}");
  REQUIRE(leases);
  const std::size_t at = leases->find("\"ID\":\"");
  REQUIRE(at != std::string::npos);
  CHECK(etcd.client.revoke_lease(std::stoll(leases->substr(at + 6))));
  CHECK(a.wait_for_addresses({}));
  CHECK(a.wait_for_addresses({"a:1"}));
}

TEST_CASE("bad registrations are told and disturb nobody") {
  Etcd etcd;
  REQUIRE(etcd.client.put({"/rdmadiag/evil", "not json"}, 0));
  REQUIRE(etcd.client.put({"/rdmadiag/x", R"({"address":"x:1"})"}, 0));
  REQUIRE(etcd.client.put({"/rdmadiagx", R"({"address":"y:1"})"}, 0));
  RunningSource looker(etcd.source());
  CHECK(looker.wait_for([](const RunningSource::Reading& reading) {
    return reading && RunningSource::addresses_of(*reading) == std::vector<std::string>{"x:1"} &&
           reading->problem == "bad registration under /rdmadiag/evil";
  }));
}

TEST_CASE("an etcd that went away is told of, and joined again when it is back") {
  Etcd etcd;
  RunningSource a(etcd.source(host("a", "a:1"), 3s));
  CHECK(a.wait_for_addresses({"a:1"}));
  etcd.process->end();
  CHECK(a.wait_for_error());
  etcd.start();
  CHECK(a.wait_for_addresses({"a:1"}));
}

TEST_CASE("of several endpoints one that answers is enough") {
  const Etcd etcd;
  StopEvent stop;
  EtcdClient client({"http://127.0.0.1:1", etcd.client_url + "/"}, {}, stop);
  CHECK(client.list("/"));
  CHECK(client.list("/"));
}

TEST_CASE("a watch from before a compaction says that something was lost") {
  Etcd etcd;
  for (int i = 0; i < 3; ++i) REQUIRE(etcd.client.put({"/rdmadiag/a", std::to_string(i)}, 0));
  const auto list = etcd.client.list("/rdmadiag/");
  REQUIRE(list);
  REQUIRE(HttpClient({}, etcd.never)
              .post_json(etcd.client_url + "/v3/kv/compaction",
                         R"({"revision":")" + std::to_string(list->revision) + "\"}"));
  bool lost = false;
  CHECK(etcd.client.watch("/rdmadiag/", 1, 30s, [&](const EtcdChanges& changes) {
    lost = changes.lost;
    return !lost;
  }));
  CHECK(lost);
}
