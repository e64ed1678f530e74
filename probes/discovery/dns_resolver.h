// DNS look-ups that can be given up: c-ares, one query at a time. One thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "agent/core/result.h"
#include "probes/discovery/dns_answer.h"
#include "probes/stop_event.h"

namespace rdmadiag::probes {

class DnsResolver {
 public:
  // `servers` as "192.0.2.53:53,…"; empty: those of /etc/resolv.conf. `stop` outlives the resolver.
  DnsResolver(std::string servers, std::chrono::milliseconds timeout, const StopEvent& stop);
  ~DnsResolver();
  DnsResolver(const DnsResolver&) = delete;
  DnsResolver& operator=(const DnsResolver&) = delete;

  // A name or record that does not exist is an empty answer, not an error.
  [[nodiscard]] core::Result<DnsAnswer> resolve(const std::string& name, DnsType type);

 private:
  struct Channel;
  [[nodiscard]] core::Status open();

  std::string servers_;
  std::chrono::milliseconds timeout_;
  const StopEvent& stop_;
  std::unique_ptr<Channel> channel_;
};

}  // namespace rdmadiag::probes
