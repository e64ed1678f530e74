// http_sd: target groups (JSON) from a URL, asked for again and again.
#pragma once

#include <chrono>
#include <string>

#include "probes/discovery/peer.h"
#include "probes/http_client.h"

namespace rdmadiag::probes {

class HttpSource final : public PeerSource {
 public:
  HttpSource(std::string url, std::chrono::nanoseconds refresh, HttpClientTls tls);

  [[nodiscard]] std::string name() const override;
  void run(const StopEvent& stop, const Publish& publish) override;

 private:
  std::string url_;
  std::chrono::nanoseconds refresh_;
  HttpClientTls tls_;
};

}  // namespace rdmadiag::probes
