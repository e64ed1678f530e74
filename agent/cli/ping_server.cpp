#include "agent/cli/ping_server.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "agent/cli/observe.h"
#include "agent/cli/ping_peer.h"
#include "exporters/http_server.h"
#include "probes/control_message.h"
#include "probes/random.h"
#include "probes/verbs/answering_port.h"

namespace rdmadiag::cli {
namespace {

using namespace std::chrono_literals;
using exporters::HttpMethod;
using exporters::HttpRequest;
using exporters::HttpResponse;
using exporters::json_response;

constexpr auto kPoll = 200ms;
constexpr int kOpenLooks = 25;  // then others are invited whatever a port still waits for

// What answers, for the server's threads and for the command's.
class Answering {
 public:
  Answering(const std::vector<OwnPort>& ports, const std::shared_ptr<const probes::KeyRing>& keys,
            bool one_sided, std::string host)
      : host_(std::move(host)), epoch_(probes::make_epoch(random_)) {
    probes::RcAcceptorOptions acceptor;
    acceptor.epoch = epoch_;
    acceptor.one_sided = one_sided;
    const auto clock = std::make_shared<const core::SystemClock>();
    for (const OwnPort& port : ports) {
      ports_.push_back(std::make_unique<probes::AnsweringPort>(
          probes::AnsweringPortOptions{.device = {.name = port.device, .node_guid = {}},
                                       .port = static_cast<std::uint8_t>(port.port),
                                       .protocol = core::Protocol::kUnknown,
                                       .leaf = {},
                                       .rail = {},
                                       .pod = {},
                                       .acceptor = acceptor},
          keys, random_, clock));
    }
  }

  [[nodiscard]] probes::AgentEndpoints endpoints() const {
    probes::AgentEndpoints agent{.host = host_, .epoch = epoch_, .rnics = {}};
    for (const auto& port : ports_) agent.rnics.push_back(port->endpoint());
    return agent;
  }

  // Some port has neither been opened nor failed to.
  [[nodiscard]] bool is_opening() const {
    return std::any_of(ports_.begin(), ports_.end(), [](const auto& port) {
      return port->endpoint().problem == probes::PortState{}.problem;
    });
  }

  [[nodiscard]] HttpResponse connect(const HttpRequest& request) const {
    const auto offer = probes::decode_rc_offer(request.body);
    if (!offer) return exporters::text_response(400, offer.error().message() + '\n');
    for (const auto& port : ports_) {
      const probes::RnicEndpoint own = port->endpoint();
      if (own.device != offer->device || own.port != offer->port) continue;
      const auto answer = port->accept(offer->from, offer->parameters);
      if (!answer) return exporters::text_response(409, answer.error().message() + '\n');
      return json_response(probes::encode_rc_parameters(*answer));
    }
    return exporters::text_response(409, "no RDMA port " + offer->device + "\n");
  }

  [[nodiscard]] std::uint64_t answered() const {
    std::uint64_t acks = 0;
    for (const auto& port : ports_) acks += port->counts().acks;
    return acks;
  }

 private:
  probes::RandomSource random_ = probes::random_from_system();
  std::string host_;
  std::uint32_t epoch_;
  std::vector<std::unique_ptr<probes::AnsweringPort>> ports_;
};

// How the other side reaches us: the host's name where every address is listened on.
std::string reachable(const std::string& listened, const std::string& hostname) {
  const std::size_t colon = listened.rfind(':');
  const std::string host = listened.substr(0, colon);
  const bool any = host == "[::]" || host == "0.0.0.0";
  return any ? hostname + listened.substr(colon) : listened;
}

void print_invitation(const exporters::HttpServer& server, const std::string& key_file,
                      const Context& context) {
  const std::string address = reachable(server.addresses().front(), context.world.hostname);
  context.out() << "Answering until interrupted. On the other host: rdmadiag ping "
                << (server.uses_tls() ? "https://" : "") << address << " --key-file "
                << (key_file.empty() ? "FILE, with this host's probes.key_file" : key_file)
                << (key_file.empty() ? "" : " (a copy of this host's)") << ", or --rc\n"
                << std::flush;
}

// Says what changes about each port; whether any was ever usable.
class PortWatch {
 public:
  void look(const probes::AgentEndpoints& agent, const Context& context) {
    for (const probes::RnicEndpoint& rnic : agent.rnics) {
      any_usable_ |= rnic.problem.empty();
      std::string& known = known_[rnic.device + "/" + std::to_string(rnic.port)];
      if (known == rnic.problem || rnic.problem == probes::PortState{}.problem) continue;
      known = rnic.problem;
      context.err() << "rdmadiag: "
                    << exporters::terminal_text(
                           rnic.device + ": " + (known.empty() ? "usable again" : known),
                           context.world.style)
                    << "\n";
    }
  }
  [[nodiscard]] bool any_usable() const { return any_usable_; }

 private:
  std::map<std::string, std::string> known_;
  bool any_usable_ = false;
};

}  // namespace

int serve_pings(const PingServerOptions& options, Context& context) {
  const auto shared = shared_keys(context.world, options.key_file);
  if (!shared) return report_failure(context, shared.error());
  const auto ports = active_ports(context, options.device);
  if (!ports) return report_failure(context, ports.error());
  auto keys = std::make_shared<probes::KeyRing>(probes::make_local_key());
  keys->set_shared(*shared);
  const Answering answering(*ports, keys, options.one_sided, context.world.hostname);

  exporters::HttpServerOptions serving;
  serving.listen_addresses = {options.listen};
  if (!options.web_file.empty()) serving.web_config_file = options.web_file;
  const core::SystemClock clock;
  auto server = exporters::HttpServer::start(
      std::move(serving),
      {{HttpMethod::kGet, "/api/v1/endpoints",
        [&](const HttpRequest&) {
          return json_response(probes::encode_endpoints(answering.endpoints()));
        }},
       {HttpMethod::kPost, "/api/v1/rc",
        [&](const HttpRequest& request) { return answering.connect(request); }}},
      clock);
  if (!server) {
    return report_failure(
        context,
        core::Error{server.error().code, server.error().what + " (an agent that runs here answers "
                                                               "pings itself)"});
  }
  bool going = true;
  for (int looks = kOpenLooks; going && looks > 0 && answering.is_opening(); --looks)
    going = context.world.wait(kPoll);
  print_invitation(**server, options.key_file, context);
  PortWatch watch;
  while (going && context.world.wait(kPoll)) watch.look(answering.endpoints(), context);
  watch.look(answering.endpoints(), context);
  context.out() << "\n" << answering.answered() << " probes answered\n";
  return watch.any_usable() ? kExitFine : kExitUnknown;
}

}  // namespace rdmadiag::cli
