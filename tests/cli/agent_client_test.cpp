// Where a command looks for an agent, and that it speaks TLS with the certificates it was given: to
// a real server.
#include "agent/cli/agent_client.h"

#include <catch2/catch.hpp>

#include "agent/cli/fetch.h"
#include "exporters/http_server.h"
#include "probes/mesh_message.h"
#include "tests/cli/cli_fixture.h"
#include "tests/exporters/certificates.h"
#include "tests/exporters/temp_folder.h"
#include "tests/support/example_mesh.h"

using namespace rdmadiag;
using exporters::HttpMethod;
using exporters::HttpRequest;
using exporters::HttpServer;

namespace {

struct Asked : test::CliFixture {
  Asked() {
    answer_call = [this](const cli::HttpCall& call) -> core::Result<std::string> {
      calls.push_back(call);
      return core::fail("nobody");
    };
  }
  std::vector<cli::HttpCall> calls;
};

// An agent that wants a certificate, and the files to talk to it.
struct SecureAgent : test::CliFixture {
  SecureAgent() {
    answer_call = cli::fetch;
    const auto certificate = authority.sign({.common_name = "s", .ip = "127.0.0.1"});
    const auto own = clients.sign({.common_name = "operator", .for_client = true});
    folder.write("server.crt", certificate.certificate);
    folder.write("server.key", certificate.key);
    folder.write("clients.crt", clients.certificate());
    ca = folder.write("ca.crt", authority.certificate());
    cert = folder.write("own.crt", own.certificate);
    key = folder.write("own.key", own.key);
    const auto serve = [](const HttpRequest&) {
      return exporters::text_response(200, probes::encode_mesh(test::example_report()));
    };
    server = HttpServer::start({.listen_addresses = {"127.0.0.1:0"},
                                .web_config_file = folder.write("web.yml", R"(tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_ca_file: clients.crt
  client_auth_type: RequireAndVerifyClientCert
)")},
                               {{HttpMethod::kGet, "/api/v1/probes", serve}}, system_clock)
                 .value();
  }
  [[nodiscard]] std::string address() const { return server->addresses().front(); }

  TempFolder folder;
  CertificateAuthority authority{"servers"};
  CertificateAuthority clients{"clients"};
  std::string ca;
  std::string cert;
  std::string key;
  core::SystemClock system_clock;
  std::unique_ptr<HttpServer> server;
};

}  // namespace

TEST_CASE("an agent is asked by http on the default port unless told otherwise") {
  Asked cli;
  const auto asked = [&](const std::vector<std::string>& arguments) {
    CHECK(cli.run(arguments).code == cli::kExitUnknown);
    return cli.calls.back().url;
  };
  CHECK(asked({"peers"}) == "http://localhost:10915/api/v1/probes");
  CHECK(asked({"status", "--agent", "n2"}) == "http://n2:10915/api/v1/snapshot");
  CHECK(asked({"peers", "--agent", "[fd00::1]"}) == "http://[fd00::1]:10915/api/v1/probes");
  CHECK(asked({"peers", "--agent", "[fd00::1]:99"}) == "http://[fd00::1]:99/api/v1/probes");
  CHECK(asked({"peers", "--agent", "https://n2"}) == "https://n2/api/v1/probes");
  CHECK(cli.calls.back().tls == probes::HttpClientTls{});
}

TEST_CASE("certificates come from the options, what is not given from the daemon's configuration") {
  Asked cli;
  for (const char* name : {"etc/ca", "etc/cert", "etc/key"}) cli.tree.write(name, "x");
  std::filesystem::permissions(cli.tree.at("etc/key"), std::filesystem::perms(0600));
  cli.tree.write("etc/rdmadiag.yaml",
                 "peers: {tls: {ca_file: ca, cert_file: cert, key_file: key}}\n");
  (void)cli.run({"mesh", "--agent", "n2", "--tls.ca-file", "/o/ca"});
  REQUIRE(cli.calls.size() == 1);
  CHECK(cli.calls[0].url == "https://n2:10915/api/v1/probes");
  CHECK(cli.calls[0].tls == probes::HttpClientTls{.ca_file = "/o/ca",
                                                  .cert_file = cli.tree.at("etc/cert"),
                                                  .key_file = cli.tree.at("etc/key")});
  (void)cli.run({"mesh", "--agent", "http://n2:80"});
  CHECK(cli.calls[1].url == "http://n2:80/api/v1/probes");
}

TEST_CASE("an agent that wants a certificate answers who shows one") {
  SecureAgent cli;
  const std::vector<std::string> mine = {"peers",         "--agent",        cli.address(),
                                         "--tls.ca-file", cli.ca,           "--tls.cert-file",
                                         cli.cert,        "--tls.key-file", cli.key};
  const auto answer = cli.run(mine);
  INFO(answer.err);
  CHECK(answer.code != cli::kExitUnknown);
  CHECK(answer.out.find("n2") != std::string::npos);
  CHECK(cli.run({"peers", "--agent", cli.address(), "--tls.ca-file", cli.ca}).code ==
        cli::kExitUnknown);
  const auto other = cli.folder.write("other.crt", cli.clients.certificate());
  const auto wary = cli.run({"peers", "--agent", cli.address(), "--tls.ca-file", other,
                             "--tls.cert-file", cli.cert, "--tls.key-file", cli.key});
  CHECK(wary.code == cli::kExitUnknown);
  CHECK(wary.err.find("GET https://" + cli.address()) != std::string::npos);
}
