#include "probes/directory.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "probes/control_message.h"

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds kFirstPause = 500ms;
// A host that refuses is up and costs nothing to ask; its agent may be back any moment.
constexpr nanoseconds kLongestPauseRefused = 2s;
constexpr nanoseconds kLongestPause = 10s;
constexpr nanoseconds kPauseAfterAnswer = 1s;
// RNICs and labels change rarely; whoever probes notices the rest by itself.
constexpr nanoseconds kRefresh = 300s;
// An agent that has just started, or whose port is down, soon has more to tell.
constexpr nanoseconds kSettling = 5s;
constexpr nanoseconds kIdle = 60s;
constexpr std::size_t kMaxPosts = 1000;

PeerReachability reachability_of(const core::Error& error) {
  return error.code == std::errc::connection_refused ? PeerReachability::kRefused
                                                     : PeerReachability::kUnreachable;
}

// Whether there is a queue pair to probe; an iWARP port has connections alone.
bool is_complete(const RnicEndpoint& rnic) {
  return rnic.problem.empty() && (rnic.qpn != 0 || rnic.protocol == core::Protocol::kIwarp);
}

bool is_complete(const AgentEndpoints& agent) {
  return !agent.rnics.empty() &&
         std::ranges::all_of(agent.rnics, [](const auto& rnic) { return is_complete(rnic); });
}

HttpClientOptions client_options(const HttpClientTls& tls) {
  return {.tls = tls, .connect_timeout = 2s, .timeout = 4s, .max_body = kMaxControlBytes};
}

}  // namespace

Directory::Directory(DirectoryOptions options, const core::Clock& clock, RandomSource random,
                     OnAnswer on_answer)
    : options_(std::move(options)),
      clock_(clock),
      random_(std::move(random)),
      on_answer_(std::move(on_answer)) {}

Directory::~Directory() {
  {
    const std::scoped_lock hold(mutex_);
    stopping_ = true;
  }
  stop_.set();
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Directory::set_peers(const std::vector<Peer>& peers) {
  const std::scoped_lock hold(mutex_);
  std::map<std::string, Entry> kept;
  for (const Peer& peer : peers) {
    auto node = entries_.extract(peer.id);
    Entry entry = node.empty() ? Entry{} : std::move(node.mapped());
    if (!node.empty() && entry.record.peer.address != peer.address) {
      entry.failures = 0;
      entry.not_before = {};
      entry.due = clock_.steady();
    }
    entry.record.peer = peer;
    kept.emplace(peer.id, std::move(entry));
  }
  entries_ = std::move(kept);
  // None before there is whom to ask: a host without peers pays nothing.
  while (!entries_.empty() && threads_.size() < options_.threads)
    threads_.emplace_back([this] { run(); });
  changed_.notify_all();
}

void Directory::look_up(const std::string& id) {
  const std::scoped_lock hold(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  const core::SteadyTime soon = std::max(clock_.steady(), entry.not_before);
  entry.due = entry.due ? std::min(*entry.due, soon) : soon;
  changed_.notify_one();
}

std::vector<AgentRecord> Directory::records() const {
  const std::scoped_lock hold(mutex_);
  std::vector<AgentRecord> records;
  records.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) records.push_back(entry.record);
  return records;
}

void Directory::post(const std::string& id, std::string path, std::string json, OnReply on_reply) {
  {
    const std::scoped_lock hold(mutex_);
    if (posts_.size() < kMaxPosts && entries_.contains(id)) {
      posts_.push_back({id, std::move(path), std::move(json), std::move(on_reply)});
      changed_.notify_one();
      return;
    }
  }
  on_reply(core::fail("no such peer: " + id));
}

std::optional<Directory::Question> Directory::take_due(core::SteadyTime now) {
  for (auto& [id, entry] : entries_) {
    if (entry.asking || !entry.due || *entry.due > now) continue;
    entry.asking = true;
    entry.due.reset();
    return Question{id, entry.record.peer.address};
  }
  return std::nullopt;
}

core::SteadyTime Directory::next_due(core::SteadyTime now) const {
  core::SteadyTime next = now + kIdle;
  for (const auto& [id, entry] : entries_) {
    if (!entry.asking && entry.due) next = std::min(next, *entry.due);
  }
  return next;
}

void Directory::run() {
  HttpClient client(client_options(options_.tls), stop_);
  std::unique_lock hold(mutex_);
  while (!stopping_) {
    if (!posts_.empty()) {
      const Post post = std::move(posts_.front());
      posts_.erase(posts_.begin());
      hold.unlock();
      send(client, post);
    } else if (const auto question = take_due(clock_.steady())) {
      hold.unlock();
      ask(client, *question);
    } else {
      const core::SteadyTime now = clock_.steady();
      changed_.wait_for(hold, next_due(now) - now);
      continue;
    }
    hold.lock();
  }
}

std::string Directory::url(const std::string& address, const std::string& path) const {
  const bool secure = options_.tls != HttpClientTls{};
  return (secure ? "https://" : "http://") + address + path;
}

void Directory::ask(HttpClient& client, const Question& question) {
  const auto body = client.get(url(question.address, "/api/v1/endpoints"));
  if (stop_.is_set()) return;
  take_answer(question, body ? decode_endpoints(*body)
                             : core::Result<AgentEndpoints>(tl::make_unexpected(body.error())));
}

void Directory::send(HttpClient& client, const Post& post) {
  std::string address;
  {
    const std::scoped_lock hold(mutex_);
    if (const auto found = entries_.find(post.id); found != entries_.end())
      address = found->second.record.peer.address;
  }
  if (address.empty()) return post.on_reply(core::fail("no such peer: " + post.id));
  post.on_reply(client.post_json(url(address, post.path), post.json));
}

// ±20 %, so that those who lost one agent together do not ask it together.
nanoseconds Directory::jittered(nanoseconds time) {
  const double factor = 0.8 + 0.4 * (static_cast<double>(random_()) / 0xffffffff);
  return std::chrono::duration_cast<nanoseconds>(time * factor);
}

nanoseconds Directory::pause(const Entry& entry) {
  const nanoseconds grown = kFirstPause * (std::int64_t{1} << std::min(entry.failures - 1, 6));
  const bool refused = entry.record.reachability == PeerReachability::kRefused;
  return jittered(std::min(grown, refused ? kLongestPauseRefused : kLongestPause));
}

void Directory::take_answer(const Question& question, core::Result<AgentEndpoints> answer) {
  AgentRecord record;
  {
    const std::scoped_lock hold(mutex_);
    const auto found = entries_.find(question.id);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    const core::SteadyTime now = clock_.steady();
    entry.asking = false;
    if (answer) {
      entry.record.endpoints = std::move(*answer);
      entry.record.reachability = PeerReachability::kAnswers;
      entry.record.problem.clear();
      entry.record.answered_at = clock_.system();
      entry.failures = 0;
      entry.not_before = now + kPauseAfterAnswer;
      const nanoseconds wait = is_complete(*entry.record.endpoints) ? kRefresh : kSettling;
      // Who asked for it meanwhile may have seen what this answer does not know yet.
      entry.due = entry.due ? entry.not_before : now + jittered(wait);
    } else {
      entry.record.reachability = reachability_of(answer.error());
      entry.record.problem = answer.error().message();
      ++entry.failures;
      entry.not_before = now + pause(entry);
      entry.due = entry.not_before;
      changed_.notify_one();
    }
    record = entry.record;
  }
  on_answer_(record);
}

}  // namespace rdmadiag::probes
