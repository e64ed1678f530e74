// Starting, serving and stopping the real program.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/daemon/daemon_process.h"
#include "tests/exporters/certificates.h"
#include "tests/exporters/curl_client.h"
#include "tests/exporters/series.h"

namespace rdmadiag::test {
namespace {

using Arguments = std::vector<std::string>;

void check_one_line(const Finished& finished, const std::string& part) {
  INFO(finished.err);
  CHECK(finished.exit_code == 1);
  CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
  CHECK(finished.err.find("level=error") != std::string::npos);
  CHECK(finished.err.find(part) != std::string::npos);
}

std::string write_file(const TempDir& folder, const std::string& name, const std::string& text) {
  const auto path = folder.path() / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST_CASE("a host without RDMA is healthy and has no devices") {
  for (const char* name : {"no_rdma", "no_devices"}) {
    const SampleTree tree(name);
    DaemonProcess daemon(serving(tree));
    const std::string url = daemon.url();
    daemon.wait_until_ready();
    CHECK(get(url + "/-/healthy").status == 200);
    CHECK(get(url + "/-/ready").status == 200);
    const CurlResponse metrics = get(url + "/metrics");
    CHECK(metrics.header("content-type") == "text/plain; version=0.0.4; charset=utf-8");
    CHECK(parse_series(metrics.body).at("rdma_devices") == "0");
    daemon.send_signal(SIGTERM);
    CHECK(daemon.wait().exit_code == 0);
  }
}

TEST_CASE("devices that cannot be listed are not counted") {
  SampleTree tree("no_rdma");
  tree.write("sys/class/infiniband", "no directory");
  const Finished once = run_daemon(
      {"--once", "--path.sysfs", tree.sys().string(), "--path.procfs", tree.proc().string()});
  CHECK(once.exit_code == 0);
  const auto printed = parse_series(once.out);
  CHECK(printed.at("rdmadiag_source_success{source=\"sysfs_port\"}") == "0");
  CHECK(printed.count("rdma_devices") == 0);
}

TEST_CASE("a device's name cannot add a line to what is served") {
  SampleTree tree("no_devices");
  tree.make_directory("sys/class/infiniband/rxe0\"} 1\nrdma_devices 9/ports/1");
  const Finished once = run_daemon(
      {"--once", "--path.sysfs", tree.sys().string(), "--path.procfs", tree.proc().string()});
  const auto printed = parse_series(once.out);
  CHECK(printed.at("rdma_devices") == "1");
  CHECK(printed.at("rdma_device_present{device=\"rxe0\\\"} 1\\nrdma_devices 9\"}") == "1");
}

TEST_CASE("every sample host is served, and printed as it is served") {
  for (const std::string& name : sample_tree_names()) {
    INFO(name);
    const SampleTree tree(name);
    DaemonProcess daemon(serving(tree));
    const auto served = parse_series(get(daemon.url() + "/metrics").body);
    const Finished once = run_daemon(
        {"--once", "--path.sysfs", tree.sys().string(), "--path.procfs", tree.proc().string()});
    CHECK(once.exit_code == 0);
    CHECK(once.err.find("level=error") == std::string::npos);
    const auto printed = parse_series(once.out);
    CHECK(served.at("rdma_devices") == printed.at("rdma_devices"));
    const bool same_series =
        std::equal(served.begin(), served.end(), printed.begin(), printed.end(),
                   [](const auto& a, const auto& b) { return a.first == b.first; });
    CHECK(same_series);
  }
}

TEST_CASE("collect[] picks sources, and an unknown one is refused with those that are known") {
  const SampleTree tree("mlx5_roce_200g");
  DaemonProcess daemon(serving(tree));
  const std::string url = daemon.url();
  const auto all = parse_series(get(url + "/metrics").body);
  const auto some = parse_series(get(url + "/metrics?collect[]=sysfs_port").body);
  CHECK(some.size() < all.size());
  CHECK(some.count("rdma_devices") == 1);
  const CurlResponse refused = get(url + "/metrics?collect[]=nothing");
  CHECK(refused.status == 400);
  CHECK(refused.body.find("sysfs_hw_counters") != std::string::npos);
}

TEST_CASE("an output file is replaced in one step") {
  const SampleTree tree("no_devices");
  const TempDir folder;
  const std::string file = write_file(folder, "rdma.prom", "old");
  const Arguments once = {"--once",
                          "--path.sysfs",
                          tree.sys().string(),
                          "--path.procfs",
                          tree.proc().string(),
                          "--output",
                          file};
  const Finished done = run_daemon(once);
  CHECK(done.exit_code == 0);
  CHECK(done.out.empty());
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  CHECK(parse_series(text).at("rdma_devices") == "0");

  Arguments nowhere = once;
  nowhere.back() = (folder.path() / "nowhere" / "rdma.prom").string();
  check_one_line(run_daemon(nowhere), "No such file or directory");
}

TEST_CASE("what cannot start says why in one line") {
  const SampleTree tree("no_devices");
  const TempDir folder;
  const std::string bad = write_file(folder, "bad.yaml", "collect:\n  deadlin: 1s\n");
  check_one_line(run_daemon(serving(tree, {"--config.file", bad})),
                 bad + ":2: collect.deadlin: unknown key (did you mean deadline?)");
  const std::string worse = write_file(folder, "worse.yaml", "a: 1\nb: 2\nc: 3\n");
  check_one_line(run_daemon(serving(tree, {"--config.file", worse})),
                 worse + ":1: a: unknown key (and 2 more: see --config.check)");
  check_one_line(run_daemon(serving(tree, {"--config.file", "/nowhere.yaml"})),
                 "/nowhere.yaml: No such file or directory");
  check_one_line(run_daemon(serving(tree, {"--device.include", "mlx5_("})), "mlx5_(");
  check_one_line(run_daemon(serving(tree, {"--web.listen-address", "nonsense"})), "nonsense");
  check_one_line(run_daemon(serving(tree, {"--web.config.file", "/nowhere.yml"})), "/nowhere.yml");

  const std::string sys = tree.sys().string();
  const std::string proc = tree.proc().string();
  for (const Arguments& mode : {Arguments{}, Arguments{"--once"}}) {
    const auto roots = [&](const std::string& sysfs, const std::string& procfs) {
      Arguments arguments = {"--path.sysfs", sysfs, "--path.procfs", procfs};
      arguments.insert(arguments.end(), mode.begin(), mode.end());
      return run_daemon(arguments);
    };
    check_one_line(roots("/nowhere", proc), "--path.sysfs=/nowhere: No such file or directory");
    check_one_line(roots(sys, "/nowhere"), "--path.procfs=/nowhere: No such file or directory");
    check_one_line(roots(bad, proc), "--path.sysfs=" + bad + ": Not a directory");
  }

  DaemonProcess first(serving(tree));
  const std::string taken = first.url().substr(7);
  check_one_line(run_daemon(serving(tree, {"--web.listen-address", taken})), taken);
}

TEST_CASE("usage errors exit with 2") {
  const Finished unknown = run_daemon({"--web.listen-adress=:1"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.out.empty());
  CHECK(unknown.err.find("--web.listen-adress") != std::string::npos);
  CHECK(run_daemon({"--output", "x"}).exit_code == 2);
  CHECK(run_daemon({"--config.check"}).exit_code == 2);
}

TEST_CASE("a check prints every problem, or that there is none") {
  const TempDir folder;
  const std::string bad = write_file(folder, "bad.yaml", "a: 1\ncollect: {qps: maybe}\n");
  const Finished refused = run_daemon({"--config.check", "--config.file", bad});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err == bad + ":1: a: unknown key\n" + bad +
                           ":2: collect.qps: wants true or false, not \"maybe\"\n");
  const std::string good = RDMADIAG_SOURCE_DIR "/config/rdmadiag.yaml";
  const Finished accepted = run_daemon({"--config.check", "--config.file", good});
  CHECK(accepted.exit_code == 0);
  CHECK(accepted.out == good + ": fine\n");
  CHECK(accepted.err.empty());
  const std::string web =
      write_file(folder, "web.yml", "tls_server_confg: {}\nbasic_auth_users: {alice: x}\n");
  const Finished both =
      run_daemon({"--config.check", "--config.file", good, "--web.config.file", web});
  CHECK(both.exit_code == 1);
  for (const char* problem :
       {"web.yml:1: tls_server_confg: ", "web.yml:2: basic_auth_users: alice: "})
    CHECK(both.err.find(problem) != std::string::npos);
}

TEST_CASE("a check refuses what the daemon could not serve with") {
  const SampleTree tree("no_devices");
  const TempDir folder;
  const CertificateAuthority authority("test authority");
  const CertificateAndKey one = authority.sign({.common_name = "one"});
  const CertificateAndKey other = authority.sign({.common_name = "other"});
  const std::string certificate = write_file(folder, "server.crt", one.certificate);
  const std::string key = write_file(folder, "server.key", other.key);
  const std::string web = write_file(
      folder, "web.yml", "tls_server_config: {cert_file: server.crt, key_file: server.key}\n");
  const auto check_refused = [&](const std::string& problem) {
    const Finished checked = run_daemon({"--config.check", "--web.config.file", web});
    CHECK(checked.exit_code == 1);
    CHECK(checked.out.empty());
    CHECK(checked.err.starts_with(problem));
    check_one_line(run_daemon(serving(tree, {"--web.config.file", web})), problem);
  };
  check_refused(web + ": certificate " + certificate + " does not match key " + key);
  write_file(folder, "server.crt", "junk");
  check_refused(web + ": certificate " + certificate + " holds no certificate in PEM format");
  write_file(folder, "server.key", "junk");
  const Finished both = run_daemon({"--config.check", "--web.config.file", web});
  CHECK(both.err.find(web + ": certificate " + certificate + " holds no") == 0);
  CHECK(both.err.find("\n" + web + ": key " + key + " holds no private key") != std::string::npos);
  write_file(folder, "server.crt", one.certificate);
  check_refused(web + ": key " + key + " holds no private key in PEM format");
  write_file(folder, "server.key", one.key);
  CHECK(run_daemon({"--config.check", "--web.config.file", web}).out == web + ": fine\n");

  const std::string keys = write_file(folder, "probe.key", "no key\n");
  REQUIRE(chmod(keys.c_str(), 0600) == 0);
  const std::string config =
      write_file(folder, "rdmadiag.yaml", "probes: {key_file: " + keys + "}\n");
  const Finished bad_key = run_daemon({"--config.check", "--config.file", config});
  CHECK(bad_key.exit_code == 1);
  CHECK(bad_key.err.starts_with("key file " + keys + ": "));
}

TEST_CASE("the page, its style and the JSON are served with their types") {
  const SampleTree tree("mlx5_roce_200g");
  DaemonProcess daemon(serving(tree));
  const std::string url = daemon.url();
  const CurlResponse page = get(url + "/");
  CHECK(page.header("content-type") == "text/html; charset=utf-8");
  CHECK(page.header("content-security-policy").starts_with("default-src 'none'"));
  CHECK(page.body.find("mlx5_0") != std::string::npos);
  const CurlResponse style = get(url + "/style.css");
  CHECK(style.status == 200);
  CHECK(style.header("content-type") == "text/css; charset=utf-8");
  const CurlResponse script = get(url + "/page.js");
  CHECK(script.status == 200);
  CHECK(script.header("content-type") == "text/javascript; charset=utf-8");

  CHECK(get(url + "/pair?device=mlx5_0&port=1&peer=nobody").status == 404);
  CHECK(get(url + "/pair").status == 404);

  const CurlResponse snapshot = get(url + "/api/v1/snapshot");
  CHECK(snapshot.header("content-type") == "application/json");
  const auto host = nlohmann::json::parse(snapshot.body);
  CHECK(host.at("host").at("devices").at(0).at("name") == "mlx5_0");
  const auto findings = nlohmann::json::parse(get(url + "/api/v1/findings").body);
  CHECK(findings.at("schema_version") == host.at("schema_version"));
  CHECK(findings.at("findings") == host.at("agent").at("diagnosis").at("findings"));
  CHECK(findings.at("any_device") == true);
  CHECK(get(url + "/api/v1/nothing").status == 404);
}

}  // namespace
}  // namespace rdmadiag::test
