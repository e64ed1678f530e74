#include "agent/core/nic.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;

TEST_CASE("an extended link state has the kernel's word, or its number") {
  CHECK(extended_state_name(0) == "autonegotiation");
  CHECK(extended_state_name(4) == "no cable");
  CHECK(extended_state_name(10) == "module");
  CHECK(extended_state_name(11) == "11");
  CHECK(extended_state_name(-1) == "-1");
}

TEST_CASE("a DSCP has a priority only where the table says so") {
  DcbSnapshot dcb;
  dcb.applications = {{3, 4791, 3}, {5, 26, 4}, {1, 46, 2}};
  CHECK(dcb.priority_of_dscp(26) == 4);
  CHECK_FALSE(dcb.priority_of_dscp(46));
  CHECK_FALSE(dcb.priority_of_dscp(0));
}

TEST_CASE("a firmware waits for a reset only when both versions are known") {
  CHECK(FirmwareVersion{"fw", "", "28.1", "28.2"}.reset_pending());
  CHECK_FALSE(FirmwareVersion{"fw", "", "28.1", "28.1"}.reset_pending());
  CHECK_FALSE(FirmwareVersion{"fw", "", "28.1", ""}.reset_pending());
}

TEST_CASE("settings nobody could read are empty") {
  RoceSettings settings;
  CHECK(settings.empty());
  settings.cnp_dscp = 0;
  CHECK_FALSE(settings.empty());
}
