#include "agent/daemon/settings.h"

#include <catch2/catch.hpp>

namespace rdmadiag::daemon {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

TEST_CASE("defaults of flags and file are the defaults of the read path") {
  const host::CollectOptions made = make_collect_options({}, {});
  const host::CollectOptions defaults;
  CHECK(made.include == defaults.include);
  CHECK(made.exclude == defaults.exclude);
  CHECK(made.link_layers == defaults.link_layers);
  CHECK(made.disabled == defaults.disabled);
  CHECK(made.min_interval == defaults.min_interval);
  CHECK(made.deadline == defaults.deadline);
  CHECK(made.rescan_interval == defaults.rescan_interval);
  CHECK(made.queue_pairs == defaults.queue_pairs);
}

TEST_CASE("what the file says is collected") {
  config::Config config;
  config.devices = {.include = {"a"}, .exclude = {"b"}, .link_layers = {"ethernet"}};
  config.collect.min_interval = 5s;
  config.collect.deadline = 2s;
  config.collect.rescan_interval = 7s;
  config.collect.qps = true;
  config.collect.skip_hw_counters = {"bnxt_re"};
  config.collect.ethtool_extra = {"rx_.*"};
  config.collect.sources.enabled[static_cast<std::size_t>(core::Source::kDcb)] = false;
  const host::CollectOptions made = make_collect_options({}, config);
  CHECK(made.include == Names{"a"});
  CHECK(made.exclude == Names{"b"});
  CHECK(made.link_layers == Names{"ethernet"});
  CHECK(made.min_interval == 5s);
  CHECK(made.deadline == 2s);
  CHECK(made.rescan_interval == 7s);
  CHECK(made.queue_pairs);
  CHECK(made.skip_hw_counters == Names{"bnxt_re"});
  CHECK(made.ethtool_extra == Names{"rx_.*"});
  CHECK(made.disabled == std::vector{core::Source::kDcb});
}

TEST_CASE("flags win over the file, each for itself") {
  config::Config config;
  config.devices.include = {"a"};
  config.devices.exclude = {"b"};
  config.collect.sources.enabled[static_cast<std::size_t>(core::Source::kDcb)] = false;
  Options options;
  options.device_include = {"c"};
  options.sources = {{core::Source::kDcb, true}, {core::Source::kPcie, false}};
  const host::CollectOptions made = make_collect_options(options, config);
  CHECK(made.include == Names{"c"});
  CHECK(made.exclude == Names{"b"});
  CHECK(made.disabled == std::vector{core::Source::kPcie});
}

}  // namespace
}  // namespace rdmadiag::daemon
