// The mesh on the status page: colours, the way from a tile to its pair, and names that mean harm.
#include <catch2/catch.hpp>
#include <regex>

#include "exporters/html.h"
#include "tests/support/example_mesh.h"

namespace rdmadiag::exporters {
namespace {

std::string page_of(std::vector<core::ProbeSnapshot> probes) {
  core::AgentStatus agent;
  agent.probes = std::move(probes);
  return render_page(
      {.now = core::HostSnapshot{}, .at_start = nullptr, .previous = nullptr, .agent = agent});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> all(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), wanted);
       at != std::sregex_iterator(); ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

TEST_CASE("A host that probes nobody has no mesh on its page") {
  CHECK_FALSE(contains(page_of({}), "id=\"mesh\""));
  core::ProbeSnapshot rnic = test::example_report().probes[0];
  rnic.peers.clear();
  CHECK_FALSE(contains(page_of({rnic}), "id=\"mesh\""));
}

TEST_CASE("Every pair has a tile that leads to its row") {
  const auto probes = test::example_report().probes;
  const std::string page = page_of({probes[0], probes[0]});
  const auto links = all(page, "href=\"#(pair-[0-9]+)\"");
  CHECK(links.size() == 4);
  CHECK(links == all(page, "<tr id=\"(pair-[0-9]+)\""));
}

TEST_CASE("A tile's colour says how the pair is") {
  core::ProbeSnapshot rnic = test::example_report().probes[0];
  rnic.peers.erase(rnic.peers.begin());
  core::ProbePeer& only = rnic.peers[0];
  CHECK(contains(page_of({rnic}), "class=\"tile bad\""));
  CHECK(contains(page_of({rnic}), "2.5 % lost"));
  only.bad = false;
  CHECK(contains(page_of({rnic}), "class=\"tile warning\""));
  only.lost = 0;
  CHECK(contains(page_of({rnic}), "class=\"tile good\""));
  CHECK(contains(page_of({rnic}), "12.5 µs"));
  only.resolved = false;
  CHECK(contains(page_of({rnic}), "class=\"tile unknown\""));
}

TEST_CASE("What peers call themselves stays text on the page") {
  core::ProbeSnapshot rnic = test::example_report().probes[0];
  const std::string evil = "\"><script>x</script>\x1b";
  rnic.nic = rnic.problem = evil;
  rnic.peers[1].peer = rnic.peers[1].leaf = evil;
  rnic.rc.peers[0].peer = rnic.rc.peers[0].problem = evil;
  rnic.rc.peers[0].up = false;
  const std::string page = page_of({rnic});
  CHECK_FALSE(contains(page, "<script>"));
  CHECK_FALSE(contains(page, "\x1b"));
  CHECK(contains(page, "down: &quot;&gt;&lt;script&gt;"));
}

}  // namespace
}  // namespace rdmadiag::exporters
