#include "probes/discovery/http_source.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "exporters/http_server.h"
#include "tests/probes/published.h"

using namespace rdmadiag::probes;
using namespace std::chrono_literals;
namespace exporters = rdmadiag::exporters;

TEST_CASE("targets come from a URL, again and again, and failures are told") {
  std::atomic<int> phase = 0;
  const auto targets = [&](const exporters::HttpRequest&) {
    switch (phase.load()) {
      case 0: return exporters::text_response(200, R"([{"targets": ["a"]}])");
      case 1: return exporters::text_response(500, "broken");
      case 2: return exporters::text_response(200, "<html>");
      default: return exporters::text_response(200, R"([{"targets": ["b", "c"]}])");
    }
  };
  const rdmadiag::core::SystemClock clock;
  auto server =
      exporters::HttpServer::start({.listen_addresses = {"127.0.0.1:0"}},
                                   {{exporters::HttpMethod::kGet, "/targets", targets}}, clock);
  REQUIRE(server);
  const std::string url = "http://" + (*server)->addresses().front() + "/targets";
  RunningSource source(std::make_unique<HttpSource>(url, 5ms, HttpClientTls{}));
  CHECK(source.wait_for_addresses({"a:10915"}));
  phase = 1;
  CHECK(source.wait_for([&](const RunningSource::Reading& reading) {
    return !reading && reading.error().message().starts_with("GET " + url + ": HTTP status 500");
  }));
  phase = 2;
  CHECK(source.wait_for([](const RunningSource::Reading& reading) {
    return !reading && reading.error().message() == "not valid JSON";
  }));
  phase = 3;
  CHECK(source.wait_for_addresses({"b:10915", "c:10915"}));
  server->reset();
  CHECK(source.wait_for_error());
}

TEST_CASE("the name of the source shows no password") {
  CHECK(HttpSource("https://u:p@host/x", 1s, {}).name() == "http_sd https://host/x");
}
