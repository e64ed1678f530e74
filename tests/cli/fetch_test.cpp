// What the command line makes of the answers of another host's agent, over a real connection.
#include "agent/cli/fetch.h"

#include <catch2/catch.hpp>
#include <latch>

#include "exporters/http_server.h"

using namespace rdmadiag;
using namespace rdmadiag::exporters;
using namespace std::chrono_literals;

namespace {

struct Agent {
  Agent() {
    const auto page = [](int status, std::size_t size) {
      return [status, size](const HttpRequest&) {
        return text_response(status, std::string(size, 'x'));
      };
    };
    std::vector<HttpRoute> routes{{HttpMethod::kGet, "/small", page(200, 100)},
                                  {HttpMethod::kGet, "/large", page(200, 100'000)},
                                  {HttpMethod::kGet, "/busy", page(503, 10)},
                                  {HttpMethod::kGet, "/moved",
                                   [](const HttpRequest&) {
                                     HttpResponse response = text_response(302, "");
                                     response.headers.emplace_back("Location", "/small");
                                     return response;
                                   }},
                                  {HttpMethod::kGet, "/stuck", [this](const HttpRequest&) {
                                     release.wait();
                                     return text_response(200, "late");
                                   }}};
    server =
        HttpServer::start({.listen_addresses = {"127.0.0.1:0"}}, std::move(routes), clock).value();
  }
  ~Agent() { release.count_down(); }

  [[nodiscard]] std::string url(const std::string& path) const {
    return "http://" + server->addresses().front() + path;
  }
  [[nodiscard]] std::string error_of(const std::string& path,
                                     const cli::FetchLimits& limits) const {
    const auto body = cli::fetch_within({.url = url(path)}, limits);
    return body ? "no error" : body.error().message();
  }

  std::latch release{1};
  core::SystemClock clock;
  std::unique_ptr<HttpServer> server;
};

}  // namespace

TEST_CASE("a page within the limits is fetched") {
  const Agent agent;
  CHECK(cli::fetch({.url = agent.url("/small")}) == std::string(100, 'x'));
  CHECK(cli::fetch_within({.url = agent.url("/large")}, {.bytes = 100'000})->size() == 100'000);
}

TEST_CASE("a page over the limit is none, however small it is packed") {
  const Agent agent;  // which packs 100 kB of one letter into some hundred bytes
  CHECK(agent.error_of("/large", {.bytes = 99'999}) ==
        "GET " + agent.url("/large") + ": the answer is larger than 99999 bytes");
}

TEST_CASE("a status other than 200 is an error that names it, and nobody is led elsewhere") {
  const Agent agent;
  const auto begins = [&](const std::string& path, const std::string& status) {
    return agent.error_of(path, {}).starts_with("GET " + agent.url(path) + ": HTTP status " +
                                                status);
  };
  CHECK(begins("/busy", "503"));
  CHECK(begins("/none", "404"));
  CHECK(begins("/moved", "302"));
}

TEST_CASE("an agent that does not answer is waited for no longer than said") {
  const Agent agent;
  CHECK(agent.error_of("/stuck", {.time = 100ms}) ==
        "GET " + agent.url("/stuck") + ": Connection timed out");
}

TEST_CASE("only HTTP is spoken") {
  CHECK_FALSE(cli::fetch({.url = "file:///etc/hostname"}));
  CHECK_FALSE(cli::fetch({.url = "ftp://127.0.0.1/x"}));
}

TEST_CASE("a password in the URL is not repeated in what went wrong") {
  const Agent agent;
  const std::string url = "http://me:secret@" + agent.server->addresses().front() + "/none";
  const auto body = cli::fetch({.url = url});
  REQUIRE_FALSE(body);
  CHECK(body.error().message().starts_with("GET " + agent.url("/none") + ": HTTP status 404"));
}
