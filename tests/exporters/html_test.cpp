#include "exporters/html.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "exporters/html_writer.h"
#include "tests/exporters/full_host.h"
#include "tests/exporters/host_builder.h"

namespace rdmadiag::exporters {
namespace {

using test::active_port;
using test::device_with;
using test::host_with;
using test::sample;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string page_of(const core::HostSnapshot& host, const core::AgentStatus& agent) {
  return render_page({.now = host, .at_start = nullptr, .previous = nullptr, .agent = agent});
}

// What is wrong with the document's structure: tags that do not nest, attributes that break the
// page's policy, labels that lead nowhere. Empty when nothing is.
std::string structure_fault(const std::string& page) {
  static const std::regex kTag("<(/?)([a-z0-9]+)([^<>]*)>");
  static const std::regex kId(" id=\"([^\"]*)\"");
  static const std::regex kLabel("aria-labelledby=\"([^\"]*)\"");
  static const std::set<std::string> kVoid = {"meta", "link"};
  std::vector<std::string> open;
  for (auto tag = std::sregex_iterator(page.begin(), page.end(), kTag);
       tag != std::sregex_iterator(); ++tag) {
    const std::string name = (*tag)[2];
    const std::string attributes = (*tag)[3];
    if (tag->str() == "<script src=\"page.js\" defer>" || tag->str() == "</script>") continue;
    if (name == "script" || name == "style" || contains(attributes, "style=") ||
        std::regex_search(attributes, std::regex("\\bon[a-z]+="))) {
      return "against the policy: " + tag->str();
    }
    if (contains(attributes, "//")) return "leads elsewhere: " + tag->str();
    if (kVoid.count(name) > 0) continue;
    if ((*tag)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "closes what is not open: " + tag->str();
    } else {
      open.pop_back();
    }
  }
  if (!open.empty()) return "never closed: " + open.back();
  std::set<std::string> ids;
  for (auto id = std::sregex_iterator(page.begin(), page.end(), kId); id != std::sregex_iterator();
       ++id) {
    if (!ids.insert((*id)[1]).second) return "id twice: " + (*id)[1].str();
  }
  for (auto label = std::sregex_iterator(page.begin(), page.end(), kLabel);
       label != std::sregex_iterator(); ++label) {
    if (ids.count((*label)[1]) == 0) return "no such id: " + (*label)[1].str();
  }
  return "";
}

core::DeviceSnapshot device_counting(std::uint64_t symbol_errors, std::uint64_t words, int second) {
  core::PortSnapshot port = active_port();
  port.counters = {
      sample(core::CounterSource::kPortCounters, "mlx5", "port_rcv_data", words),
      sample(core::CounterSource::kPortCounters, "mlx5", "symbol_error", symbol_errors),
      sample(core::CounterSource::kPortHwCounters, "mlx5", "out_of_sequence", 3)};
  core::DeviceSnapshot device = device_with("mlx5_0", port);
  device.read_steady = core::SteadyTime(std::chrono::seconds(second));
  return device;
}

TEST_CASE("The page is well-formed, self-contained and labelled") {
  CHECK(structure_fault(page_of(test::full_host(), test::full_agent())) == "");
  CHECK(structure_fault(page_of({}, {})) == "");
}

TEST_CASE("The structure check itself finds faults") {
  CHECK(structure_fault("<p><b></p></b>") != "");
  CHECK(structure_fault("<p>") != "");
  CHECK(structure_fault("<script></script>") != "");
  CHECK(structure_fault("<script src=\"other.js\"></script>") != "");
  CHECK(structure_fault("<p onclick=\"x\"></p>") != "");
  CHECK(structure_fault("<a href=\"https://example.com\"></a>") != "");
  CHECK(structure_fault("<table aria-labelledby=\"x\"></table>") != "");
}

TEST_CASE("Health comes first") {
  const std::string page = page_of(test::full_host(), test::full_agent());
  CHECK(page.find("1 critical finding") < page.find("<table"));
  CHECK(page.find("Look at the cable &amp; the switch port.") < page.find("<table"));
  CHECK(contains(page_of({}, {}), "no RDMA device"));
}

TEST_CASE("Names that mean harm stay text") {
  const std::string evil = "<script>alert(1)</script>\"'&\x1b[1m\xff<img src=x onerror=y>";
  core::HostSnapshot host = test::full_host();
  host.hostname = evil;
  host.kernel_release = evil;
  core::DeviceSnapshot device = *host.devices[0].snapshot;
  device.name = device.firmware = device.hca_type = device.driver = device.pcie.address = evil;
  device.ports[0].netdev = evil;
  device.ports[0].rate->speed_name = evil;
  device.ports[0].counters[0].unknown_name = evil;
  device.ports[0].counters[0].spec = nullptr;
  device.issues[0].path = device.issues[0].detail = evil;
  host.devices[0].name = evil;
  host.devices[1].name = evil;
  core::HostSnapshot before = host;
  host.devices[0].snapshot = std::make_shared<const core::DeviceSnapshot>(device);
  device.ports[0].counters[0].value = 0;
  before.devices[0].snapshot = std::make_shared<const core::DeviceSnapshot>(device);
  core::AgentStatus agent = test::full_agent();
  agent.version = agent.revision = evil;
  for (core::Finding& finding : agent.diagnosis.findings) {
    finding.rule = finding.found = finding.expected = finding.meaning = finding.next_step = evil;
    finding.subject.device = finding.subject.netdev = evil;
  }
  agent.diagnosis.unknown[0].reason = evil;
  const std::string page =
      render_page({.now = host, .at_start = &before, .previous = &before, .agent = agent});
  CHECK(structure_fault(page) == "");
  CHECK_FALSE(contains(page, "<img"));
  CHECK_FALSE(contains(page, "\x1b"));
  CHECK_FALSE(contains(page, "\xff"));
  CHECK(contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\x1b[1m\\xff"));
}

TEST_CASE("Counters that moved: since the start, now, and the worst first") {
  const core::HostSnapshot start = host_with(device_counting(5, 0, 0));
  const core::HostSnapshot before = host_with(device_counting(5, 1'000'000'000, 50));
  const core::HostSnapshot now = host_with(device_counting(65535, 3'500'000'000, 60));
  const std::string page =
      render_page({.now = now, .at_start = &start, .previous = &before, .agent = {}});
  CHECK(contains(page, "14 000 000 000"));  // 3.5e9 words
  CHECK(contains(page, "1 GB/s"));          // 2.5e9 words in 10 s
  CHECK(contains(page, "65 530"));
  CHECK(contains(page, "saturated"));
  CHECK(page.find("symbol_error") < page.find("port_rcv_data"));
  CHECK_FALSE(contains(page, "out_of_sequence"));
}

TEST_CASE("The course of a counter is drawn in the page, without a style of its own") {
  core::TrailRecorder recorder;
  core::HostSnapshot start = host_with(device_counting(5, 0, 0));
  recorder.observe(start);
  core::HostSnapshot middle = host_with(device_counting(5, 1'000'000'000, 50));
  middle.taken_steady = core::SteadyTime(std::chrono::seconds(50));
  recorder.observe(middle);
  const core::HostSnapshot now = host_with(device_counting(9, 2'000'000'000, 100));
  const std::string page = render_page({.now = now,
                                        .at_start = &start,
                                        .previous = nullptr,
                                        .agent = {},
                                        .trails = recorder.points()});
  CHECK(structure_fault(page) == "");
  // Twenty million words a second all the time; symbol errors only in the second half.
  CHECK(contains(page, "aria-label=\"at most 80 MB/s\"><path d=\"M0 24V0H60H120V24Z\">"));
  CHECK(contains(page, "aria-label=\"at most 0.08/s\"><path d=\"M0 24H60V0H120V24Z\">"));
}

TEST_CASE("Without an earlier read nothing is said about movement") {
  CHECK(contains(page_of(test::full_host(), {}), "no earlier read"));
  const core::HostSnapshot now = host_with(device_counting(0, 0, 0));
  CHECK(contains(render_page({.now = now, .at_start = &now, .previous = nullptr, .agent = {}}),
                 "No counter has moved"));
}

TEST_CASE("A thousand devices are shown, the rest is counted") {
  core::HostSnapshot host;
  for (int i = 0; i < 1012; ++i) {
    core::DeviceEntry entry;
    entry.name = "d" + std::to_string(i);
    entry.stuck = true;
    host.devices.push_back(entry);
  }
  const std::string page = page_of(host, {});
  CHECK(contains(page, "d999<"));
  CHECK_FALSE(contains(page, "d1000<"));
  CHECK(contains(page, "and 12 more"));
}

TEST_CASE("The script takes what it shows from this server, as nodes") {
  const std::string script(page_script());
  CHECK(contains(script, "fetch(location.href"));
  for (const char* risky :
       {"innerHTML", "insertAdjacentHTML", "document.write", "eval(", "//cdn", "http:"})
    CHECK_FALSE(contains(script, risky));
  CHECK(contains(page_of({}, {}), "<script src=\"page.js\" defer></script>"));
  CHECK(contains(kPagePolicy, "script-src 'self';"));
  CHECK_FALSE(contains(kPagePolicy, "unsafe"));
}

TEST_CASE("The style needs nothing from elsewhere, and knows every class the page uses") {
  const std::string style(page_style());
  CHECK_FALSE(contains(style, "url("));
  CHECK_FALSE(contains(style, "@import"));
  for (const Wellness wellness :
       {Wellness::kGood, Wellness::kWarning, Wellness::kBad, Wellness::kUnknown}) {
    CHECK(contains(style, "." + std::string(wellness_class(wellness)) + " {"));
  }
}

}  // namespace
}  // namespace rdmadiag::exporters
