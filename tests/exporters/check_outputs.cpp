#include "tests/exporters/check_outputs.h"

#include <catch2/catch.hpp>

#include "exporters/json.h"
#include "exporters/prometheus.h"
#include "exporters/text.h"
#include "tests/exporters/series.h"
#include "tests/support/golden.h"

namespace rdmadiag::test {

using namespace exporters;

void check_outputs(const std::string& name, const PageInput& input) {
  const TerminalStyle wide{.width = 100, .colour = false, .utf8 = true};
  const TerminalStyle narrow{.width = 40, .colour = false, .utf8 = false};
  const auto same = [&](const std::string& file, const std::string& text) {
    CHECK(golden_difference(name + "/" + file, text) == "");
  };
  std::string metrics;
  MetricsOptions options;
  options.node_exporter = true;
  render_prometheus(input.now, input.agent, options, metrics);
  same("metrics.prom", metrics);
  CHECK_NOTHROW(parse_series(metrics));  // promtool does not see a series that is there twice
  same("snapshot.json", render_json(input.now, input.agent, JsonLayout::kIndented));
  same("page.html", render_page(input));
  same("status.txt", render_status(input.now, input.agent, wide));
  same("status_40.txt", render_status(input.now, input.agent, narrow));
  same("devices.txt", render_devices(input.now, DeviceDetail::kFull, wide));
  same("gids.txt", render_gids(input.now, wide));
  const core::HostSnapshot& before = input.previous ? *input.previous : input.now;
  same("counters.txt", render_counters(core::host_changes(before, input.now), {}, wide));
}

}  // namespace rdmadiag::test
