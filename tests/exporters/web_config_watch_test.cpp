#include "exporters/web_config_watch.h"

#include <catch2/catch.hpp>

#include "tests/exporters/certificates.h"
#include "tests/exporters/temp_folder.h"
#include "tests/support/manual_clock.h"

using namespace rdmadiag::exporters;
using namespace std::chrono_literals;

namespace {

// A web config with a certificate of its own, and what was reported about it.
struct Setup {
  TempFolder folder;
  CertificateAuthority authority{"test authority"};
  rdmadiag::test::ManualClock clock;
  std::vector<std::string> problems;
  std::vector<bool> taken;  // a change, or not
  std::string config_file;

  Setup() {
    renew();
    config_file = folder.write(
        "web.yml", "tls_server_config: {cert_file: server.crt, key_file: server.key}\n");
  }

  void renew() const {
    const auto server = authority.sign({.common_name = "server", .ip = "127.0.0.1"});
    folder.write("server.crt", server.certificate);
    folder.write("server.key", server.key);
  }

  rdmadiag::core::Result<WebConfigWatch> open() {
    return WebConfigWatch::open(config_file, clock, [this](const rdmadiag::core::Status& status) {
      taken.push_back(status.has_value());
      if (!status) problems.push_back(status.error().message());
    });
  }
};

}  // namespace

TEST_CASE("without a file there is no TLS and nobody to ask for a password") {
  const rdmadiag::test::ManualClock clock;
  auto watch = WebConfigWatch::open(std::nullopt, clock, {});
  REQUIRE(watch);
  CHECK(watch->current().tls == nullptr);
  CHECK(watch->current().config->users.empty());
}

TEST_CASE("a new certificate is taken up, at most a second later") {
  Setup setup;
  auto watch = setup.open();
  REQUIRE(watch);
  const auto first = watch->current().tls;
  setup.renew();
  CHECK(watch->current().tls == first);
  setup.clock.advance(1s);
  const auto second = watch->current().tls;
  CHECK(second != first);
  setup.clock.advance(1s);
  CHECK(watch->current().tls == second);
  CHECK(setup.taken == std::vector<bool>{true});
}

TEST_CASE("a bad change is reported once, the old stays, and a good one is taken again") {
  Setup setup;
  auto watch = setup.open();
  REQUIRE(watch);
  const auto first = watch->current().tls;
  const auto other = setup.authority.sign({.common_name = "other"});
  setup.folder.write("server.crt", other.certificate);
  for (int i = 0; i < 3; ++i) {
    setup.clock.advance(1s);
    CHECK(watch->current().tls == first);
  }
  REQUIRE(setup.problems.size() == 1);
  const std::string folder = setup.folder.path().string();
  CHECK(setup.problems[0] == "web config not reloaded: " + setup.config_file + ": certificate " +
                                 folder + "/server.crt does not match key " + folder +
                                 "/server.key");
  setup.folder.write("server.key", other.key);
  setup.clock.advance(1s);
  CHECK(watch->current().tls != first);
  CHECK(setup.taken == std::vector<bool>{false, true});
}

TEST_CASE("a file that was missing is found when it comes, though nobody knew of it") {
  Setup setup;
  auto watch = setup.open();
  REQUIRE(watch);
  const auto first = watch->current().tls;
  setup.folder.write("web.yml", "tls_server_config: {cert_file: n.crt, key_file: n.key}\n");
  setup.clock.advance(1s);
  CHECK(watch->current().tls == first);
  CHECK(setup.problems.size() == 1);
  const auto next = setup.authority.sign({.common_name = "next"});
  setup.folder.write("n.key", next.key);
  setup.folder.write("n.crt", next.certificate);
  setup.clock.advance(1s);
  CHECK(watch->current().tls != first);
}

TEST_CASE("users change without a restart, TLS on or off does not") {
  Setup setup;
  auto watch = setup.open();
  REQUIRE(watch);
  const std::string tls = "tls_server_config: {cert_file: server.crt, key_file: server.key}\n";
  setup.folder.write("web.yml", tls +
                                    "basic_auth_users: {alice: "
                                    "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
                                    "}\n");
  setup.clock.advance(1s);
  CHECK(watch->current().config->users.size() == 1);
  setup.folder.write("web.yml", "basic_auth_users: {}\n");
  setup.clock.advance(1s);
  CHECK(watch->current().config->users.size() == 1);
  CHECK(watch->current().tls != nullptr);
  CHECK(setup.problems ==
        std::vector<std::string>{"web config not reloaded: " + setup.config_file +
                                 ": TLS cannot be turned on or off without a restart"});
}

TEST_CASE("what is wrong at the start is one clear line") {
  Setup setup;
  const std::string folder = setup.folder.path().string();
  const auto error = [&] { return setup.open().error().message(); };
  const auto good_key = setup.folder.path() / "server.key";
  setup.folder.write("server.key", "no key");
  CHECK(error().starts_with(setup.config_file + ": key " + folder +
                            "/server.key holds no private key"));
  std::filesystem::remove(good_key);
  CHECK(error() == setup.config_file + ":1: tls_server_config.key_file: reading " + folder +
                       "/server.key: No such file or directory");
  setup.renew();
  setup.folder.write("web.yml",
                     "tls_server_config: {cert_file: server.crt, key_file: server.key, client_ca: "
                     "x, client_auth_type: RequireAndVerifyClientCert}\n");
  CHECK(error() == setup.config_file +
                       ": client CA tls_server_config.client_ca holds no certificate in PEM "
                       "format, or one that is broken");
  setup.folder.write("web.yml", "a: 1\nb: 2\nc: 3\n");
  CHECK(error() == setup.config_file + ":1: a: unknown key (and 2 more)");
}
