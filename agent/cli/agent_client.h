// Another host's agent as the user named it, and how to ask it: over https with a certificate where
// the options or the daemon's configuration say so.
#pragma once

#include <string>

#include "agent/cli/world.h"
#include "agent/core/result.h"
#include "probes/http_client.h"

namespace CLI {
class App;
}

namespace rdmadiag::cli {

struct AgentChoice {
  std::string address = {};        // "host", "host:port" or a URL; empty: none named
  probes::HttpClientTls tls = {};  // what is empty is that of the daemon's configuration
};

// `--agent HOST:PORT` and the options of TLS.
void add_agent_option(CLI::App& app, AgentChoice& choice, const std::string& help);
void add_tls_options(CLI::App& app, probes::HttpClientTls& tls);

// "HOST[:PORT][/DEVICE]" or "URL[/DEVICE]".
struct NamedNic {
  std::string address = {};
  std::string device = {};  // empty: none named
};
[[nodiscard]] NamedNic parse_named_nic(const std::string& text);
// Whether that address says where to ask: a URL, or a host with a port.
[[nodiscard]] bool names_port(const std::string& address);

class AgentClient {
 public:
  // An agent without a name is this host's own. `world` outlives it.
  AgentClient(const World& world, const AgentChoice& choice);
  // One that is asked the same way; `address` is "host:port".
  [[nodiscard]] AgentClient other(const std::string& address) const;

  // The answer on this path, such as "/api/v1/probes". The error names the URL. Any thread.
  [[nodiscard]] core::Result<std::string> get(const std::string& path) const;
  [[nodiscard]] core::Result<std::string> post(const std::string& path,
                                               const std::string& json) const;
  // For messages: without any password in it.
  [[nodiscard]] std::string name() const { return probes::url_without_credentials(url_); }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] const probes::HttpClientTls& tls() const { return tls_; }

 private:
  AgentClient(const World& world, std::string url, probes::HttpClientTls tls);

  const World* world_;
  std::string url_;
  probes::HttpClientTls tls_;
};

}  // namespace rdmadiag::cli
