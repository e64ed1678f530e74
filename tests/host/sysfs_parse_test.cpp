#include "agent/host/sysfs_parse.h"

#include <catch2/catch.hpp>
#include <string>

using namespace rdmadiag::host;
using rdmadiag::core::GidType;
using rdmadiag::core::LinkLayer;

TEST_CASE("a counter is decimal digits and nothing else") {
  CHECK(parse_counter("0\n") == 0U);
  CHECK(parse_counter("123") == 123U);
  CHECK(parse_counter("  7  \n") == 7U);
  CHECK(parse_counter("18446744073709551615\n") == 18446744073709551615U);
  for (const char* text : {"", "\n", "N/A (no PMA)\n", "-1\n", "+1\n", "0x10\n", "12abc\n", "1 2\n",
                           "1.5\n", "1e3\n", "18446744073709551616\n", "\xff\xfe\n", "\xd9\xa3"}) {
    INFO(text);
    CHECK_FALSE(parse_counter(text));
  }
  CHECK_FALSE(parse_counter(std::string("1\0", 2)));
  CHECK_FALSE(parse_counter(std::string(4096, '9')));
}

TEST_CASE("states are their number, whatever the word") {
  CHECK(parse_numbered_state("4: ACTIVE\n") == 4);
  CHECK(parse_numbered_state("0: <unknown>\n") == 0);
  CHECK(parse_numbered_state("9: UNKNOWN\n") == 9);
  CHECK(parse_numbered_state("5") == 5);
  for (const char* text : {"", "ACTIVE", "-1: X", "4 ACTIVE", "99999999999: X", ": ACTIVE"}) {
    INFO(text);
    CHECK_FALSE(parse_numbered_state(text));
  }
}

TEST_CASE("a rate needs its number only") {
  const auto check = [](const char* text, double gigabits, std::optional<int> lanes,
                        const char* speed) {
    INFO(text);
    const auto rate = parse_rate(text);
    REQUIRE(rate);
    CHECK(rate->bits_per_second == gigabits * 1e9);
    CHECK(rate->width_lanes == lanes);
    CHECK(rate->speed_name == speed);
  };
  check("400 Gb/sec (4X NDR)\n", 400, 4, "NDR");
  check("2.5 Gb/sec (1X SDR)\n", 2.5, 1, "SDR");
  check("100 Gb/sec (2X HDR)\n", 100, 2, "HDR");
  check("2400 Gb/sec (12X XDR)\n", 2400, 12, "XDR");
  check("10 Gb/sec (4X)\n", 10, 4, "");
  check("0 GB/sec\n", 0, std::nullopt, "");
  check("0 Gb/sec (4X XXX)\n", 0, 4, "XXX");
  check("1600 gb/SEC (8X FUTURE", 1600, 8, "FUTURE");
  check("40", 40, std::nullopt, "");
  check("10 Gb/sec (999999X SDR)", 10, std::nullopt, "X SDR");
  for (const char* text : {"", "Gb/sec", "-10 Gb/sec", "inf Gb/sec", "nan", "1.2.3 Gb/sec", ". Gb",
                           "10000000000000 Gb/sec", "unknown"}) {
    INFO(text);
    CHECK_FALSE(parse_rate(text));
  }
}

TEST_CASE("hex values keep their prefix and their width") {
  CHECK(parse_hex_u32("0x1a\n") == 0x1aU);
  CHECK(parse_hex_u32("0xa759e848\n") == 0xa759e848U);
  CHECK(parse_hex_u32("0xffffffff") == 0xffffffffU);
  for (const char* text : {"", "1a", "0x", "0x100000000", "0x-1", "0xg", "0x1 2"}) {
    INFO(text);
    CHECK_FALSE(parse_hex_u32(text));
  }
}

TEST_CASE("GUIDs go both ways") {
  CHECK(parse_guid("0c42:a103:0065:1d7e\n") == 0x0c42a10300651d7eU);
  CHECK(parse_guid("0000:0000:0000:0000") == 0U);
  CHECK(format_guid(0x0c42a10300651d7eU) == "0c42:a103:0065:1d7e");
  CHECK(format_guid(0) == "0000:0000:0000:0000");
  for (const char* text :
       {"", "0c42", "0c42:a103:0065", "0c42:a103:0065:1d7", "0c42:a103:0065:1d7e0",
        "0c42-a103-0065-1d7e", "0c42:a103:0065:1d7e:", "zzzz:0000:0000:0000"}) {
    INFO(text);
    CHECK_FALSE(parse_guid(text));
  }
}

TEST_CASE("the same word is another GID type on another link layer") {
  CHECK(parse_gid_type("RoCE v2\n", LinkLayer::kEthernet) == GidType::kRoceV2);
  CHECK(parse_gid_type("IB/RoCE v1\n", LinkLayer::kEthernet) == GidType::kRoceV1);
  CHECK(parse_gid_type("IB/RoCE v1\n", LinkLayer::kInfiniband) == GidType::kIb);
  CHECK(parse_gid_type("RoCE v3\n", LinkLayer::kEthernet) == GidType::kUnknown);
}

TEST_CASE("a PCIe link that is not known gives nothing") {
  CHECK(parse_link_speed("32.0 GT/s PCIe\n") == 32e9);
  CHECK(parse_link_speed("2.5 GT/s\n") == 2.5e9);
  CHECK(parse_link_speed("8 GT/s") == 8e9);
  CHECK_FALSE(parse_link_speed("Unknown\n"));
  CHECK_FALSE(parse_link_speed("Unknown speed\n"));
  CHECK_FALSE(parse_link_speed("0.0 GT/s PCIe"));
  CHECK(parse_link_width("16\n") == 16);
  CHECK_FALSE(parse_link_width("0\n"));
  CHECK_FALSE(parse_link_width("255\n"));
}

TEST_CASE("AER files give their total") {
  CHECK(parse_aer_total("RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 7\n") == 7U);
  CHECK(parse_aer_total("RxErr 1\nBadTLP 2\n") == 3U);
  CHECK_FALSE(parse_aer_total(""));
  CHECK_FALSE(parse_aer_total("RxErr\n"));
  CHECK_FALSE(parse_aer_total("RxErr x\nTOTAL_ERR_COR 7\n"));
}

TEST_CASE("PCI addresses are told from other names") {
  CHECK(is_pci_address("0000:3b:00.0"));
  CHECK(is_pci_address("10000:01:1f.7"));
  for (const char* text : {"", "device", "3b:00.0", "0000:3b:00", "0000:3b:0g.0", "irdma.roce.0"}) {
    INFO(text);
    CHECK_FALSE(is_pci_address(text));
  }
}

TEST_CASE("the driver is one line of a uevent file") {
  CHECK(parse_uevent_driver("DRIVER=mlx5_core\nPCI_CLASS=20700\n") == "mlx5_core");
  CHECK(parse_uevent_driver("PCI_CLASS=20700\nDRIVER=ice") == "ice");
  CHECK(parse_uevent_driver("XDRIVER=no\n").empty());
  CHECK(parse_uevent_driver("").empty());
}

TEST_CASE("kernel releases compare by their numbers") {
  const auto release = [](const char* text) { return parse_kernel_release(text).value(); };
  CHECK(release("6.18.3-amd64\n").parts == std::array<int, 3>{6, 18, 3});
  CHECK(release("6.18").parts == std::array<int, 3>{6, 18, 0});
  CHECK(release("6.18-rc1").parts == std::array<int, 3>{6, 18, 0});
  CHECK(release("6.9.12") < release("6.18.0"));
  CHECK(release("6.18.10") > release("6.18.3"));
  CHECK_FALSE(parse_kernel_release("Linux"));
  CHECK_FALSE(parse_kernel_release(""));
}
