#include "probes/discovery/http_source.h"

#include <utility>

#include "probes/discovery/target_groups.h"

namespace rdmadiag::probes {

HttpSource::HttpSource(std::string url, std::chrono::nanoseconds refresh, HttpClientTls tls)
    : url_(std::move(url)), refresh_(refresh), tls_(std::move(tls)) {}

std::string HttpSource::name() const { return "http_sd " + url_without_credentials(url_); }

void HttpSource::run(const StopEvent& stop, const Publish& publish) {
  HttpClient client({.tls = tls_, .max_body = kMaxTargetText}, stop);
  bool stopped = false;
  while (!stopped) {
    auto reading = client.get(url_).and_then(
        [&](const std::string& text) { return parse_target_groups(text, TargetFormat::kJson); });
    stopped = stop.is_set();
    if (stopped) break;
    publish(std::move(reading));
    stopped = stop.wait(refresh_);
  }
}

}  // namespace rdmadiag::probes
