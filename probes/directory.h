// What is known of other agents: asks their control channels, remembers the answers, and asks again
// when told that one no longer fits, with growing pauses. Asks on threads of its own. Any thread
// may call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "probes/discovery/peer.h"
#include "probes/endpoint.h"
#include "probes/http_client.h"
#include "probes/random.h"
#include "probes/stop_event.h"
#include "probes/tally.h"

namespace rdmadiag::probes {

struct AgentRecord {
  Peer peer;
  std::optional<AgentEndpoints> endpoints;  // of the last answer that was right
  PeerReachability reachability = PeerReachability::kUnknown;
  std::string problem;  // of the last question; empty after an answer
  std::optional<core::SystemTime> answered_at;
};

struct DirectoryOptions {
  HttpClientTls tls;  // any of it set: https, else http
  std::size_t threads = 4;
};

class Directory {
 public:
  // `on_answer` is told of each question that ended, from a thread of the directory.
  using OnAnswer = std::function<void(const AgentRecord&)>;
  Directory(DirectoryOptions options, const core::Clock& clock, RandomSource random,
            OnAnswer on_answer);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Exactly these from now on; what is known of those that stay, stays, also at a new address.
  void set_peers(const std::vector<Peer>& peers);
  // Asks soon: at once, or after the pause that failures or a recent answer call for.
  void look_up(const std::string& id);
  [[nodiscard]] std::vector<AgentRecord> records() const;  // sorted by id

  // POSTs to an agent on a thread of the directory and hands over what came of it.
  using OnReply = std::function<void(core::Result<std::string>)>;
  void post(const std::string& id, std::string path, std::string json, OnReply on_reply);

 private:
  struct Entry {
    AgentRecord record;
    bool asking = false;
    int failures = 0;
    core::SteadyTime not_before{};
    std::optional<core::SteadyTime> due;
  };
  struct Post {
    std::string id;
    std::string path;
    std::string json;
    OnReply on_reply;
  };
  struct Question {
    std::string id;
    std::string address;
  };

  void run();
  [[nodiscard]] std::optional<Question> take_due(core::SteadyTime now);
  [[nodiscard]] core::SteadyTime next_due(core::SteadyTime now) const;
  void ask(HttpClient& client, const Question& question);
  void send(HttpClient& client, const Post& post);
  void take_answer(const Question& question, core::Result<AgentEndpoints> answer);
  [[nodiscard]] std::string url(const std::string& address, const std::string& path) const;
  [[nodiscard]] std::chrono::nanoseconds pause(const Entry& entry);
  [[nodiscard]] std::chrono::nanoseconds jittered(std::chrono::nanoseconds time);

  DirectoryOptions options_;
  const core::Clock& clock_;
  RandomSource random_;
  OnAnswer on_answer_;
  StopEvent stop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::map<std::string, Entry> entries_;
  std::vector<Post> posts_;
  std::vector<std::thread> threads_;
};

}  // namespace rdmadiag::probes
