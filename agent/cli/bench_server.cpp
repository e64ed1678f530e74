#include "agent/cli/bench_server.h"

#include <mutex>

#include "agent/cli/bench_sweep.h"
#include "agent/cli/observe.h"
#include "exporters/http_server.h"
#include "probes/bench/client.h"
#include "probes/bench/service.h"

namespace rdmadiag::cli {
namespace {

using namespace std::chrono_literals;
using exporters::HttpRequest;
using exporters::HttpResponse;

constexpr auto kLongestRun = 1h;
constexpr std::size_t kRunsAtOnce = 1;

HttpResponse to_http(probes::BenchResponse answer) {
  if (answer.status != 200) return exporters::text_response(answer.status, answer.body);
  return exporters::json_response(std::move(answer.body));
}

std::vector<exporters::HttpRoute> routes(probes::BenchService& service) {
  return {{exporters::HttpMethod::kPost, probes::kBenchPath,
           [&service](const HttpRequest& request) { return to_http(service.open(request.body)); }},
          {exporters::HttpMethod::kPost, probes::kBenchRunPath,
           [&service](const HttpRequest& request) { return to_http(service.act(request.body)); }}};
}

probes::BenchServiceParts service_parts(const Context& context, const BenchServerWishes& wishes,
                                        std::mutex& mutex) {
  return {
      .clock = std::make_shared<core::SystemClock>(),
      .random = probes::random_from_system(),
      .permission =
          [] {
            return probes::BenchPermission{
                .enabled = true, .most = kLongestRun, .most_concurrent = kRunsAtOnce};
          },
      .ports =
          [&context, &wishes, &mutex] {
            const std::scoped_lock hold(mutex);
            std::vector<probes::BenchPort> found;
            const auto own = own_bench_ports(context, wishes.device);
            if (!own) return found;
            for (const OwnBenchPort& port : *own) {
              found.push_back({port.device, static_cast<std::uint8_t>(port.port), port.protocol});
            }
            return found;
          },
      .placement = wishes.placement,
      .tell =
          [&context, &mutex](const std::string& line) {
            const std::scoped_lock hold(mutex);
            context.err() << exporters::terminal_text(line, context.world.style) << "\n"
                          << std::flush;
          }};
}

}  // namespace

int serve_bench(const Context& context, const BenchServerWishes& wishes) {
  const auto ports = own_bench_ports(context, wishes.device);
  if (!ports) return report_failure(context, ports.error());
  std::mutex mutex;  // of the observer and of what is told
  probes::BenchService service(service_parts(context, wishes, mutex));
  exporters::HttpServerOptions options;
  options.listen_addresses = {wishes.listen};
  if (!wishes.web_config_file.empty()) options.web_config_file = wishes.web_config_file;
  const core::SystemClock clock;
  const auto server = exporters::HttpServer::start(std::move(options), routes(service), clock);
  if (!server) return report_failure(context, server.error());
  {
    const std::scoped_lock hold(mutex);
    for (const std::string& address : (*server)->addresses()) {
      context.err() << "waiting on " << address
                    << (wishes.web_config_file.empty() ? ", open to whoever reaches it" : "")
                    << "; Ctrl-C ends\n"
                    << std::flush;
    }
  }
  while (context.world.wait(1s)) {
  }
  service.stop();
  return kExitFine;
}

}  // namespace rdmadiag::cli
