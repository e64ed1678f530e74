#include "exporters/text.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/exporters/full_host.h"
#include "tests/exporters/host_builder.h"

namespace rdmadiag::exporters {
namespace {

using test::active_port;
using test::device_with;
using test::host_with;
using test::sample;

constexpr TerminalStyle kWide{.width = 100, .colour = false, .utf8 = true};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<core::DeviceChanges> changes_between(std::uint64_t before, std::uint64_t now) {
  core::HostSnapshot first = host_with(device_with("mlx5_0", active_port()));
  core::HostSnapshot second = first;
  const auto with_value = [](std::uint64_t value, int seconds) {
    core::PortSnapshot port = active_port();
    port.counters = {sample(core::CounterSource::kPortCounters, "mlx5", "port_rcv_data", value),
                     sample(core::CounterSource::kPortHwCounters, "mlx5", "out_of_sequence", 0)};
    core::DeviceSnapshot device = device_with("mlx5_0", port);
    device.read_steady = core::SteadyTime(std::chrono::seconds(seconds));
    return std::make_shared<const core::DeviceSnapshot>(std::move(device));
  };
  first.devices[0].snapshot = with_value(before, 10);
  second.devices[0].snapshot = with_value(now, 20);
  return core::host_changes(first, second);
}

std::string all_text(const core::HostSnapshot& host, const core::AgentStatus& agent,
                     const TerminalStyle& style) {
  const auto changes = core::host_changes(host, host);
  return render_status(host, agent, style) + render_devices(host, DeviceDetail::kBrief, style) +
         render_devices(host, DeviceDetail::kFull, style) + render_gids(host, style) +
         render_counters(changes, {.nonzero = false, .raw = true, .classes = {}}, style) +
         render_queue_pairs(host, {}, style);
}

TEST_CASE("The status says what is wrong before it says anything else") {
  const std::string text = render_status(test::full_host(), test::full_agent(), kWide);
  CHECK(text.find("1 critical finding") < text.find("mlx5_0"));
  CHECK(contains(text, "100 Gb/s 4X EDR"));
  CHECK(contains(text, "200 Gb/s"));
  CHECK(contains(text, "link-degraded"));
  CHECK(contains(text, "stuck for 12 s"));
  CHECK(contains(text, "gone"));
  CHECK(contains(text, "mlx5_0: not readable: 1 einval, 1 parse"));
}

TEST_CASE("Health is not claimed where nothing could be judged") {
  CHECK(contains(render_status({}, {}, kWide), "no RDMA device"));
  const core::HostSnapshot host = host_with(device_with("mlx5_0", active_port()));
  CHECK(contains(render_status(host, {}, kWide), "could not be judged"));
  core::AgentStatus judged;
  judged.diagnosis.any_device = true;
  CHECK(contains(render_status(host, judged, kWide), "healthy"));
}

TEST_CASE("A port that is down shows both states and no rate") {
  core::PortSnapshot port = active_port();
  port.state = 1;
  port.physical_state = 2;
  const std::string text = render_status(host_with(device_with("mlx5_0", port)), {}, kWide);
  CHECK(contains(text, "DOWN/Polling"));
  CHECK_FALSE(contains(text, "Gb/s"));
}

TEST_CASE("Lines keep to the width, words longer than it apart") {
  for (std::size_t width = 40; width <= 100; ++width) {
    const TerminalStyle style{.width = width, .colour = false, .utf8 = true};
    std::istringstream lines(all_text(test::full_host(), test::full_agent(), style));
    for (std::string line; std::getline(lines, line);) {
      if (text_width(line) <= width) continue;
      const std::size_t word = line.find_last_of(' ') + 1;
      INFO(width << ": " << line);
      CHECK(line.find_first_not_of(' ') + text_width(line.substr(word)) > 20);
      CHECK(text_width(line.substr(0, word)) <= 22);
    }
  }
}

TEST_CASE("Without colour there is no escape, without UTF-8 no byte beyond ASCII") {
  core::HostSnapshot host = test::full_host();
  core::DeviceSnapshot device = *host.devices[0].snapshot;
  device.node_description = "Größe \x1b[2J";
  host.devices[0].snapshot = std::make_shared<const core::DeviceSnapshot>(device);
  const std::string plain =
      all_text(host, test::full_agent(), {.width = 40, .colour = false, .utf8 = false});
  for (const char c : plain) {
    const bool is_plain = c == '\n' || (c >= 0x20 && c < 0x7f);
    REQUIRE(is_plain);
  }
  const std::string coloured =
      all_text(host, test::full_agent(), {.width = 100, .colour = true, .utf8 = true});
  CHECK(contains(coloured, "\x1b[31m"));
  CHECK(contains(coloured, "Größe \\x1b[2J"));
}

TEST_CASE("Counters show bytes, rates, and what they mean") {
  const auto changes = changes_between(1000, 2'500'001'000);
  const std::string text = render_counters(changes, {}, kWide);
  CHECK(contains(text, "mlx5_0 port 1"));
  CHECK(contains(text, "10 000 004 000"));
  CHECK(contains(text, "1 GB/s"));
  CHECK(contains(text, "out_of_sequence"));
  const std::string raw =
      render_counters(changes, {.nonzero = false, .raw = true, .classes = {}}, kWide);
  CHECK(contains(raw, "2 500 001 000"));
  CHECK(contains(raw, "rdma_port_rx_bytes"));
}

TEST_CASE("Counters are chosen by movement and class; a reset is said") {
  const CounterSelection nonzero{.nonzero = true, .raw = false, .classes = {}};
  CHECK_FALSE(contains(render_counters(changes_between(5, 6), nonzero, kWide), "out_of_sequence"));
  CHECK(contains(render_counters(changes_between(5, 6), nonzero, kWide), "port_rcv_data"));
  CHECK(render_counters(changes_between(5, 5), nonzero, kWide).empty());
  CHECK(contains(render_counters(changes_between(5, 4), nonzero, kWide), "reset"));
  const CounterSelection traffic{.nonzero = false, .raw = false, .classes = {"traffic"}};
  const std::string text = render_counters(changes_between(5, 6), traffic, kWide);
  CHECK(contains(text, "port_rcv_data"));
  CHECK_FALSE(contains(text, "out_of_sequence"));
}

TEST_CASE("The GID in use is marked and explained") {
  const std::string text = render_gids(test::full_host(), kWide);
  CHECK(contains(text, "::ffff:10.0.0.1"));
  CHECK(contains(text, "mlx5_0 port 1 uses index 3: "));
  CHECK(contains(text, "mlx5_1: stuck for 12 s"));
}

TEST_CASE("Queue pairs are listed by state") {
  CHECK(contains(render_queue_pairs(test::full_host(), {}, kWide), "ib_write_bw"));
  CHECK(contains(render_queue_pairs(test::full_host(), 3, kWide), "ib_write_bw"));
  CHECK(render_queue_pairs(test::full_host(), 6, kWide).empty());
}

TEST_CASE("PCIe below its maximum says so") {
  const std::string text = render_devices(test::full_host(), DeviceDetail::kFull, kWide);
  CHECK(contains(text, "x8 16 GT/s (of x16 32 GT/s)"));
  CHECK(contains(text, "fw 28.40.1000 after a reset"));
}

}  // namespace
}  // namespace rdmadiag::exporters
