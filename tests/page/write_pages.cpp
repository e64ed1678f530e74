// Writes status pages of made-up hosts into a folder, with what they link to, for run.mjs to serve
// to a browser: those that no sysfs tree can give, since they have peers.
//   write_pages FOLDER
#include <fstream>
#include <iostream>
#include <string>

#include "agent/core/diagnose/diagnose.h"
#include "exporters/html.h"
#include "exporters/html_pair.h"
#include "tests/exporters/host_builder.h"

namespace rdmadiag {
namespace {

using namespace std::chrono_literals;
using core::CounterSource;

constexpr core::SystemTime kNow{1'767'225'600s};
const std::string kEvil = "\"><img src=x onerror=alert(1)>'&<script>alert(2)</script>";

core::DeviceSnapshot device(const std::string& name, std::uint64_t second, std::uint64_t errors) {
  core::PortSnapshot port = test::active_port();
  port.counters = {
      test::sample(CounterSource::kPortCounters, "mlx5", "port_rcv_data", second * second * 1000),
      test::sample(CounterSource::kPortCounters, "mlx5", "symbol_error", errors),
      test::sample(CounterSource::kPortHwCounters, "mlx5", "rx_read_requests", second * 3)};
  core::DeviceSnapshot made = test::device_with(name, port);
  made.firmware = "28.39.1002";
  made.hca_type = "MT4129";
  made.read_steady = core::SteadyTime(std::chrono::seconds(second));
  return made;
}

core::HostSnapshot host(std::size_t devices, std::uint64_t second) {
  core::HostSnapshot made;
  made.hostname = "node1";
  made.kernel_release = "6.1.0";
  made.taken_at = kNow + std::chrono::seconds(second);
  made.taken_steady = core::SteadyTime(std::chrono::seconds(second));
  for (std::size_t i = 0; i < devices; ++i) {
    const std::uint64_t errors = i % 25 == 3 ? second / 2 : 0;
    test::add_device(made, device("mlx5_" + std::to_string(i), second, errors));
  }
  return made;
}

core::ProbePeer peer(const std::string& name, std::uint64_t lost) {
  return {.peer = name,
          .leaf = "leaf-2",
          .scope = core::ProbeScope::kFabric,
          .resolved = true,
          .bad = lost > 0,
          .sent = 300,
          .lost = lost,
          .rtt_p50_seconds = 7.5e-6,
          .rtt_max_seconds = 31e-6,
          .last_ok = kNow};
}

core::ProbeSnapshot rnic(std::size_t peers, std::size_t lossy) {
  core::ProbeSnapshot made;
  made.device = "mlx5_0";
  made.nic = "node1/mlx5_0";
  made.leaf = "leaf-1";
  made.running = true;
  for (std::size_t i = 0; i < peers; ++i)
    made.peers.push_back(peer("node" + std::to_string(i + 2) + "/mlx5_0", i < lossy ? 61 : 0));
  made.rc.peers = {{"node2/mlx5_0", lossy == 0, lossy == 0 ? "" : "retries exceeded", 20e-6}};
  return made;
}

// The page as it is `second` seconds after the start.
std::string page(std::size_t devices, core::ProbeSnapshot probes, std::uint64_t second) {
  const core::HostSnapshot start = host(devices, 0);
  core::TrailRecorder trails;
  for (std::uint64_t at = 0; at < second; at += 10) trails.observe(host(devices, at));
  const core::HostSnapshot now = host(devices, second);
  core::AgentStatus agent;
  agent.version = "0.1.0";
  agent.probes = {std::move(probes)};
  agent.diagnosis = core::diagnose(
      {.now = &now, .before = &start, .probes = &agent.probes, .list_unknown = false});
  return exporters::render_page({.now = now,
                                 .at_start = &start,
                                 .previous = &start,
                                 .agent = agent,
                                 .trails = trails.points()});
}

core::ProbeSnapshot hostile_rnic() {
  core::ProbeSnapshot made = rnic(2, 1);
  made.nic = made.problem = kEvil;
  for (core::ProbePeer& peer : made.peers) peer.peer = peer.leaf = kEvil;
  made.rc.peers = {{kEvil, false, kEvil, {}}};
  return made;
}

// A pair over ten minutes; in the last two the peer's host is slow, and probes are lost.
std::string pair_page() {
  core::PairHistory history;
  for (int i = 0; i < 20; ++i) {
    const double more = 1e-6 * (i % 4);
    history.push_back({.start = 1'767'225'000 + 30 * i,
                       .sent = 300,
                       .lost = i < 16 ? 0U : 61U,
                       .network_p50 = 7.5e-6 + more,
                       .network_most = 31e-6,
                       .prober_mean = 2e-6,
                       .responder_mean = i < 16 ? 3e-6 : 9e-6 + more});
  }
  const core::ProbeSnapshot lossy = rnic(3, 1);
  return exporters::render_pair({.rnic = lossy, .peer = lossy.peers[0], .history = history});
}

void write(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void write_all(const std::string& folder) {
  write(folder + "/style.css", exporters::page_style());
  write(folder + "/page.js", exporters::page_script());
  write(folder + "/policy", exporters::kPagePolicy);
  write(folder + "/mesh.html", page(1, rnic(3, 0), 15));
  write(folder + "/mesh_lossy.html", page(1, rnic(3, 1), 200));
  write(folder + "/mesh_hostile.html", page(1, hostile_rnic(), 15));
  write(folder + "/pair.html", pair_page());
  write(folder + "/large.html", page(1000, rnic(1000, 40), 300));
  write(folder + "/large_later.html", page(1000, rnic(1000, 41), 310));
}

}  // namespace
}  // namespace rdmadiag

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_pages FOLDER\n";
    return 2;
  }
  try {
    rdmadiag::write_all(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
