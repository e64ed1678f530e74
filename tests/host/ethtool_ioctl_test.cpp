// Against this machine's kernel; needs no privilege and no device.
#include "agent/host/ethtool_ioctl.h"

#include <catch2/catch.hpp>
#include <string>

using namespace rdmadiag;

TEST_CASE("a netdev that does not exist is ENODEV, whatever its name") {
  host::SystemEthtoolIoctl ioctl;
  std::vector<std::uint64_t> values;
  for (const std::string& name :
       {std::string("rdmadiag-none"), std::string(300, 'x'), std::string("a\nb"), std::string()}) {
    CHECK(ioctl.driver(name).error().code == std::errc::no_such_device);
    CHECK(ioctl.statistic_names(name).error().code == std::errc::no_such_device);
    CHECK(ioctl.statistics(name, 3, values).error().code == std::errc::no_such_device);
  }
}

TEST_CASE("the loopback device has no private statistics") {
  host::SystemEthtoolIoctl ioctl;
  const auto names = ioctl.statistic_names("lo");
  CHECK((!names || names->empty()));
  if (!names) CHECK(names.error().code == std::errc::operation_not_supported);
}
