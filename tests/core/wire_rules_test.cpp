// The wire as the Ethernet side sees it: why a link is down, FEC, the transceiver.
#include <catch2/catch.hpp>

#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

namespace {

ModuleSnapshot optic() {
  ModuleSnapshot module;
  module.optical = true;
  module.temperature_celsius = 60;
  module.temperature_limits = ModuleLimits{-10, -5, 70, 75};
  module.receive_limits = ModuleLimits{0.00005, 0.0001, 0.002, 0.004};
  module.transmit_limits = module.receive_limits;
  module.lanes = {{{}, {}, 0.001}, {{}, 0.001, 0.0001}};
  return module;
}

std::string found(TwoLooks& looks, std::string_view rule) {
  const Diagnosis diagnosis = looks.diagnose();
  const Finding* finding = find(diagnosis, rule);
  return finding == nullptr ? "" : finding->found;
}

void count_lost_blocks(TwoLooks& looks, std::uint64_t before, std::uint64_t now) {
  const auto add = [](DeviceSnapshot& device, std::uint64_t value) {
    for (const CounterSpec& spec : all_counters()) {
      if (spec.metric->name != "rdma_nic_fec_uncorrectable_blocks_total") continue;
      auto& counters = device.netdevs.front().counters;
      CounterSample sample;
      sample.source = spec.source;
      sample.spec = &spec;
      sample.value = value;
      counters = {sample};
      return;
    }
    FAIL("the catalogue has no such metric");
  };
  add(looks.before, before);
  add(looks.now, now);
}

}  // namespace

TEST_CASE("a port that is down says why, where ethtool does") {
  TwoLooks down;
  down.port_now().state = 1;
  down.port_now().physical_state = 2;
  down.now.netdevs.front().ethtool.emplace().link.extended_state = 4;
  CHECK(found(down, "link-down") == "state DOWN, physical state Polling, no cable");
}

TEST_CASE("any block beyond FEC's repair is told") {
  TwoLooks fec;
  CHECK(find_unknown(fec.diagnose(), "link-fec") != nullptr);
  count_lost_blocks(fec, 7, 7);
  CHECK(found(fec, "link-fec").empty());
  CHECK(find_unknown(fec.diagnose(), "link-fec") == nullptr);
  CHECK(find_unknown(fec.diagnose_one_look(), "link-fec") != nullptr);
  count_lost_blocks(fec, 7, 8);
  CHECK(found(fec, "link-fec") == "1 blocks beyond repair in 10 s");
  count_lost_blocks(fec, 7, 3);
  CHECK(found(fec, "link-fec").empty());
  CHECK(find_unknown(fec.diagnose(), "link-fec") != nullptr);
}

TEST_CASE("a module is judged by its own limits") {
  TwoLooks looks;
  CHECK(find_unknown(looks.diagnose(), "link-optics") != nullptr);
  auto& module = looks.now.netdevs.front().module;
  module = optic();
  module->temperature_celsius = 70;
  CHECK(found(looks, "link-optics").empty());
  CHECK(find_unknown(looks.diagnose(), "link-optics") == nullptr);

  module->temperature_celsius = 70.5;
  CHECK(found(looks, "link-optics") == "module at 70.5 degrees C");
  module = optic();
  module->lanes[1].receive_watts = 0.00009;
  CHECK(found(looks, "link-optics") == "lane 2 receives -10.5 dBm");
  module->lanes[1].receive_watts = 0;
  CHECK(found(looks, "link-optics") == "lane 2 receives no light");
  module = optic();
  module->lanes[1].transmit_watts = 0.00009;
  CHECK(found(looks, "link-optics") == "lane 2 sends -10.5 dBm");

  module->optical = false;  // copper says nothing of light
  CHECK(found(looks, "link-optics").empty());
  module = optic();
  module->temperature_limits.reset();
  module->receive_limits.reset();
  CHECK(find_unknown(looks.diagnose(), "link-optics") != nullptr);
}
