#include <catch2/catch.hpp>

#include "agent/cli/run.h"
#include "tests/cli/cli_fixture.h"

using namespace rdmadiag;

TEST_CASE("usage errors are exit code 64 with a message on the error stream") {
  test::CliFixture cli("no_devices");
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"statsu"},
      {"status", "--nosuch"},
      {"counters", "--diff", "soon"},
      {"counters", "--diff", "0s"},
      {"counters", "--watch", "soon"},
      {"counters", "--diff", "1s", "--watch"},
      {"counters", "--class", "retransmti"},
      {"qps", "--state", "dead"},
      {"metrics", "--class", "bogus"},
      {"bench", "peer", "--op", "wrote"},
      {"capture"},
      {"capture", "-"},
      {"report", "-"},
      {"config"},
      {"gids", "extra"},
      {"devices", "--device.include", "mlx5_["},
  };
  for (const auto& arguments : wrong) {
    const auto result = cli.run(arguments);
    INFO((arguments.empty() ? "" : arguments.back()));
    CHECK(result.code == cli::kExitUsage);
    CHECK(result.out.empty());
    CHECK_FALSE(result.err.empty());
  }
}

TEST_CASE("a mistyped word is answered with the nearest known one") {
  test::CliFixture cli("no_devices");
  CHECK(cli.run({"statsu"}).err.find("did you mean status?") != std::string::npos);
  CHECK(cli.run({"counters", "--class", "retransmti"}).err.find("did you mean retransmit?") !=
        std::string::npos);
  CHECK(cli.run({"counters", "--class", "xxxxxxxxxxx"}).err.find("there are access_error") !=
        std::string::npos);
  CHECK(cli.run({"metrics", "--class", "retransmti"}).err.find("did you mean retransmit?") !=
        std::string::npos);
  CHECK(cli.run({"bench", "peer", "--op", "wirte"}).err.find("did you mean write?") !=
        std::string::npos);
  CHECK(cli.run({"qps", "--state", "bogus"})
            .err.starts_with(
                "--state: unknown state bogus; there are reset, init, rtr, rts, sqd, sqe, err\n"));
}

TEST_CASE("words are known in whatever case they come") {
  test::CliFixture cli("mlx5_roce_200g");
  CHECK(cli.run({"metrics", "--class", "Retransmit"}).out ==
        cli.run({"metrics", "--class", "retransmit"}).out);
  CHECK(cli.run({"counters", "--class", "Retransmit,PFC"}).out ==
        cli.run({"counters", "--class", "retransmit,pfc"}).out);
  for (const char* state : {"err", "ERR"}) CHECK(cli.run({"qps", "--state", state}).code != 64);
}

TEST_CASE("what is said about an argument cannot steer the terminal") {
  test::CliFixture cli("no_devices");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"\x1b[2Jstatus"}, {"status", "--x\x1b[2J"}, {"status", "--agent", "\x1b[2J"}}) {
    const auto result = cli.run(arguments);
    CHECK(result.err.find('\x1b') == std::string::npos);
    CHECK(result.err.find("\\x1b") != std::string::npos);
  }
}

TEST_CASE("help and version are no errors") {
  test::CliFixture cli;
  const auto help = cli.run({"--help"});
  CHECK(help.code == 0);
  CHECK(help.err.empty());
  for (const char* word : {"status", "counters", "capture", "--path.sysfs", "64 usage error"}) {
    CHECK(help.out.find(word) != std::string::npos);
  }
  CHECK(cli.run({"counters", "--help"}).out.find("--nonzero") != std::string::npos);
  CHECK(cli.run({"--version"}).out.starts_with("rdmadiag "));
}

TEST_CASE("options for every command may stand before or after it") {
  test::CliFixture cli("mlx5_roce_200g");
  CHECK(cli.run({"--json", "gids"}).out == cli.run({"gids", "--json"}).out);
}
