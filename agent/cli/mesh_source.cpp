#include "agent/cli/mesh_source.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "agent/cli/observe.h"
#include "probes/mesh_message.h"

namespace rdmadiag::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 16;  // World::fetch must bear that
constexpr auto kPatience = 60s;
constexpr std::size_t kNamedSilent = 10;

using Answers = std::vector<std::optional<core::Result<core::MeshReport>>>;

Answers ask_all(const World& world, const std::vector<AgentClient>& agents) {
  Answers answers(agents.size());
  const core::SteadyTime until = world.clock->steady() + kPatience;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < agents.size(); i = next++) {
      if (world.clock->steady() >= until) return;
      answers[i] = ask_report(agents[i]);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min(kAtOnce, agents.size()); ++i) threads.emplace_back(work);
  threads.clear();
  return answers;
}

}  // namespace

void add_mesh_agent_option(CLI::App& app, AgentChoice& agent) {
  add_agent_option(app, agent, "Ask this agent instead of this host's");
}

core::Result<core::MeshReport> ask_report(const AgentClient& agent) {
  const auto body = agent.get("/api/v1/probes");
  if (!body) return tl::make_unexpected(body.error());
  auto report = probes::decode_mesh(*body);
  if (!report) return core::fail(agent.name() + ": " + report.error().message());
  return report;
}

core::Result<MeshView> ask_mesh(const World& world, const AgentChoice& agent) {
  const AgentClient first(world, agent);
  auto report = ask_report(first);
  if (!report) return tl::make_unexpected(report.error());
  std::vector<core::MeshAgent> others;
  MeshView view;
  for (const core::MeshAgent& other : report->agents) {
    if (other.is_self) continue;
    if (other.address.empty()) {
      view.silent.push_back({other.id, {}, "its address is unusable"});
    } else {
      others.push_back(other);
    }
  }
  // Asked the same way: an address is checked to be no more than host and port.
  std::vector<AgentClient> clients;
  for (const core::MeshAgent& other : others) clients.push_back(first.other(other.address));
  view.reports.push_back(std::move(*report));
  Answers answers = ask_all(world, clients);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::optional<core::Result<core::MeshReport>>& answer = answers[i];
    if (answer && *answer) {
      view.reports.push_back(std::move(**answer));
    } else {
      view.silent.push_back({others[i].id, others[i].address,
                             answer ? answer->error().message() : "not asked: out of time"});
    }
  }
  return view;
}

void report_silent(const Context& context, const std::vector<SilentAgent>& silent) {
  for (std::size_t i = 0; i < std::min(silent.size(), kNamedSilent); ++i) {
    context.err() << "rdmadiag: "
                  << exporters::terminal_text(silent[i].id + ": " + silent[i].problem,
                                              context.world.style)
                  << "\n";
  }
  if (silent.size() > kNamedSilent) {
    context.err() << "rdmadiag: and " << silent.size() - kNamedSilent
                  << " more agents that do not answer\n";
  }
}

}  // namespace rdmadiag::cli
