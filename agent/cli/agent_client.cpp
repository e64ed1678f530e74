#include "agent/cli/agent_client.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "config/load.h"

namespace rdmadiag::cli {
namespace {

constexpr std::string_view kDefaultPort = "10915";

std::string first_of(const std::string& said, const std::string& configured) {
  return said.empty() ? configured : said;
}

probes::HttpClientTls with_configured(const probes::HttpClientTls& said, const World& world) {
  const auto loaded = config::load_config(world.config_file);
  if (!loaded) return said;
  const config::ClientTls& tls = loaded->peers.tls;
  return {.ca_file = first_of(said.ca_file, tls.ca_file),
          .cert_file = first_of(said.cert_file, tls.cert_file),
          .key_file = first_of(said.key_file, tls.key_file)};
}

// "http://host:10915" for "host"; anything with a scheme stays as it is.
std::string agent_url(const std::string& address, const probes::HttpClientTls& tls) {
  if (address.find("://") != std::string::npos) return address;
  return (tls == probes::HttpClientTls{} ? "http://" : "https://") + address +
         (names_port(address) ? "" : ":" + std::string(kDefaultPort));
}

}  // namespace

void add_agent_option(CLI::App& app, AgentChoice& choice, const std::string& help) {
  const auto check = [](const std::string& text) {
    return text.empty() ? std::string("'' names no agent") : std::string();
  };
  app.add_option("--agent", choice.address, help + " (port 10915 where none is named)")
      ->check(CLI::Validator(check, "", "agent"))
      ->type_name("HOST:PORT");
  add_tls_options(app, choice.tls);
}

void add_tls_options(CLI::App& app, probes::HttpClientTls& tls) {
  app.add_option("--tls.ca-file", tls.ca_file,
                 "Ask agents by https and trust this authority; the daemon's unless said")
      ->type_name("FILE");
  app.add_option("--tls.cert-file", tls.cert_file,
                 "Our certificate for agents that want one; the daemon's unless said")
      ->type_name("FILE");
  app.add_option("--tls.key-file", tls.key_file, "Its key; the daemon's unless said")
      ->type_name("FILE");
}

NamedNic parse_named_nic(const std::string& text) {
  const std::size_t scheme = text.find("://");
  const std::size_t slash = text.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  return {.address = text.substr(0, slash),
          .device = slash == std::string::npos ? "" : text.substr(slash + 1)};
}

bool names_port(const std::string& address) {
  if (address.find("://") != std::string::npos) return true;
  const std::size_t bracket = address.rfind(']');
  const std::size_t colon = address.rfind(':');
  return colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
}

AgentClient::AgentClient(const World& world, const AgentChoice& choice)
    : world_(&world), tls_(with_configured(choice.tls, world)) {
  url_ = agent_url(choice.address.empty() ? "localhost" : choice.address, tls_);
}

AgentClient::AgentClient(const World& world, std::string url, probes::HttpClientTls tls)
    : world_(&world), url_(std::move(url)), tls_(std::move(tls)) {}

AgentClient AgentClient::other(const std::string& address) const {
  return {*world_, url_.substr(0, url_.find("://") + 3) + address, tls_};
}

core::Result<std::string> AgentClient::get(const std::string& path) const {
  return world_->fetch({.url = url_ + path, .json = {}, .tls = tls_});
}

core::Result<std::string> AgentClient::post(const std::string& path,
                                            const std::string& json) const {
  return world_->fetch({.url = url_ + path, .json = json, .tls = tls_});
}

}  // namespace rdmadiag::cli
