#include <catch2/catch.hpp>
#include <cerrno>

#include "agent/cli/doctor_checks.h"
#include "tests/cli/cli_fixture.h"

using namespace rdmadiag;
using cli::Check;
using cli::DoctorFacts;
using cli::Outcome;

namespace {

DoctorFacts healthy() {
  DoctorFacts facts;
  facts.readiness.devices = {{"mlx5_0", "/dev/infiniband/uverbs0", 0}};
  facts.readiness.modules = host::wanted_modules();
  facts.readiness.modules_known = true;
  facts.limits = cli::ProcessLimits{};
  facts.netns_shared = true;
  return facts;
}

Check check_named(const DoctorFacts& facts, std::string_view name) {
  for (const Check& check : cli::run_checks(facts)) {
    if (check.name == name) return check;
  }
  FAIL("no check " << name);
  return {};
}

}  // namespace

TEST_CASE("a host that can run probes is fine") {
  const auto checks = cli::run_checks(healthy());
  CHECK(cli::exit_code(checks) == cli::kExitFine);
  for (const Check& check : checks) {
    INFO(check.name);
    CHECK(check.outcome == Outcome::kGood);
    CHECK(check.mend.empty());
  }
}

TEST_CASE("each way uverbs can fail names what mends it") {
  DoctorFacts facts = healthy();
  auto& node = facts.readiness.devices.front();
  node.open_error = EACCES;
  CHECK(check_named(facts, "uverbs mlx5_0").mend.starts_with("chmod 0666 /dev/infiniband/uverbs0"));
  node.open_error = ENOENT;
  CHECK(check_named(facts, "uverbs mlx5_0").mend.starts_with("udevadm trigger"));
  node.open_error = EIO;
  CHECK(check_named(facts, "uverbs mlx5_0").mend.starts_with("dmesg"));
  node.path.clear();
  CHECK(check_named(facts, "uverbs mlx5_0").mend == "modprobe ib_uverbs");
  facts.readiness.verbs_class_error = ENOENT;
  CHECK(cli::exit_code(cli::run_checks(facts)) == cli::kExitCritical);
}

TEST_CASE("a tree that does not hold the device nodes says nothing about them") {
  DoctorFacts facts = healthy();
  facts.readiness.devices.front().path.clear();
  facts.readiness.verbs_class_error = ENOENT;
  facts.limits.reset();  // another host's
  CHECK(check_named(facts, "uverbs mlx5_0").outcome == Outcome::kUnknown);
  facts.limits = cli::ProcessLimits{};
  facts.readiness.verbs_class_error = EACCES;
  CHECK(check_named(facts, "uverbs mlx5_0").outcome == Outcome::kUnknown);
}

TEST_CASE("values that cannot be read are named, with what mends each reason") {
  const auto issue = [](const char* path, core::IssueReason reason) {
    core::ReadIssue made;
    made.path = path;
    made.reason = reason;
    return made;
  };
  DoctorFacts facts = healthy();
  facts.issues["mlx5_0"] = {};
  CHECK(check_named(facts, "values mlx5_0").outcome == Outcome::kGood);
  facts.issues["mlx5_0"] = {issue("/sys/a", core::IssueReason::kEinval)};
  CHECK(check_named(facts, "values mlx5_0").outcome == Outcome::kGood);
  for (const char* path : {"/sys/b", "/sys/c", "/sys/d", "/sys/e"})
    facts.issues["mlx5_0"].push_back(issue(path, core::IssueReason::kEperm));
  const Check check = check_named(facts, "values mlx5_0");
  CHECK(check.outcome == Outcome::kWarning);
  CHECK(check.found ==
        "4 cannot be read: /sys/b (eperm), /sys/c (eperm), /sys/d (eperm) and 1 more: rdmadiag "
        "devices --json has all");
  CHECK(check.mend.starts_with("ls -l /sys/b"));
  facts.issues["mlx5_0"] = {issue("/sys/b", core::IssueReason::kParse)};
  CHECK(check_named(facts, "values mlx5_0").mend.find("rdmadiag capture") != std::string::npos);
  facts.issues["mlx5_0"] = {issue("/sys/b", core::IssueReason::kEio)};
  CHECK(check_named(facts, "values mlx5_0").mend.starts_with("dmesg"));
}

TEST_CASE("little locked memory is a warning unless the process may ignore it") {
  DoctorFacts facts = healthy();
  facts.limits->memlock_bytes = 64 * 1024;
  const Check check = check_named(facts, "locked memory");
  CHECK(check.outcome == Outcome::kWarning);
  CHECK(check.found == "64 KiB may be locked, probes want 16384 KiB");
  CHECK(check.mend.find("ulimit -l unlimited") != std::string::npos);
  CHECK(cli::exit_code(cli::run_checks(facts)) == cli::kExitWarning);
  facts.limits->ignores_memlock = true;
  CHECK(check_named(facts, "locked memory").outcome == Outcome::kGood);
}

TEST_CASE("missing modules are named in the command that loads them") {
  DoctorFacts facts = healthy();
  facts.readiness.modules = {"ib_core", "rdma_cm"};
  CHECK(check_named(facts, "kernel modules").mend == "modprobe -a ib_uverbs rdma_ucm");
  facts.readiness.modules_known = false;
  CHECK(check_named(facts, "kernel modules").outcome == Outcome::kUnknown);
}

TEST_CASE("what nobody tells is unknown, not fine") {
  DoctorFacts facts = healthy();
  facts.netns_shared.reset();
  CHECK(cli::exit_code(cli::run_checks(facts)) == cli::kExitUnknown);
  facts = healthy();
  facts.limits.reset();
  CHECK(check_named(facts, "locked memory").outcome == Outcome::kUnknown);
  facts.readiness.class_error = EACCES;
  CHECK(check_named(facts, "rdma devices").outcome == Outcome::kUnknown);
}

TEST_CASE("doctor reads the host it is pointed at") {
  test::CliFixture cli;
  cli.tree.make_directory("sys/devices/rdma/mlx5_0");
  cli.tree.make_link("sys/class/infiniband/mlx5_0", "../../devices/rdma/mlx5_0");
  cli.tree.make_link("sys/class/infiniband/mlx5_1", "../../devices/rdma/not_mounted");
  cli.tree.write("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
  cli.tree.write("sys/class/infiniband_verbs/abi_version", "6\n");
  cli.tree.write("dev/infiniband/uverbs0", "");
  cli.tree.make_directory("sys/module/ib_core");
  const auto result = cli.run({"doctor"});
  CHECK(result.code == cli::kExitCritical);
  CHECK(result.out.find("good      uverbs mlx5_0: ") != std::string::npos);
  CHECK(result.out.find("critical  sysfs link mlx5_1: it leads nowhere") != std::string::npos);
  CHECK(result.out.find("mend: modprobe -a ib_uverbs rdma_cm rdma_ucm") != std::string::npos);
  CHECK(result.out.find("unknown   network namespaces") != std::string::npos);
}

TEST_CASE("a host without RDMA is critical for probes") {
  test::CliFixture none("no_rdma");
  CHECK(none.run({"doctor"}).code == cli::kExitCritical);
  test::CliFixture empty("no_devices");
  const auto result = empty.run({"doctor"});
  CHECK(result.code == cli::kExitCritical);
  CHECK(result.out.find("no RDMA device") != std::string::npos);
}
