#include "agent/host/surroundings.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <span>

#include "agent/host/address_messages.h"
#include "agent/host/cpu_list.h"
#include "agent/host/pci_acs.h"
#include "tests/support/fake_transport.h"
#include "tests/support/source_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::host;

namespace {

std::vector<std::byte> address_payload(int family, std::uint32_t index, std::uint8_t prefix,
                                       const char* local, const char* peer = nullptr) {
  ifaddrmsg header{};
  header.ifa_family = static_cast<std::uint8_t>(family);
  header.ifa_index = index;
  header.ifa_prefixlen = prefix;
  PayloadWriter writer;
  writer.raw(std::as_bytes(std::span(&header, 1)));
  const auto add = [&](std::uint16_t type, const char* text) {
    std::array<std::byte, 16> bytes{};
    REQUIRE(::inet_pton(family, text, bytes.data()) == 1);
    writer.attribute(type, Bytes(bytes).first(family == AF_INET ? 4 : 16));
  };
  if (peer != nullptr) add(IFA_ADDRESS, peer);
  add(peer != nullptr ? IFA_LOCAL : IFA_ADDRESS, local);
  return {writer.bytes().begin(), writer.bytes().end()};
}

std::vector<std::byte> datagram(const std::vector<std::vector<std::byte>>& payloads) {
  std::vector<std::byte> out;
  for (const auto& payload : payloads) {
    std::vector<std::byte> header(16);
    const auto length = static_cast<std::uint32_t>(16 + payload.size());
    std::memcpy(header.data(), &length, sizeof length);
    header[4] = std::byte{kRtmNewAddress};
    out.insert(out.end(), header.begin(), header.end());
    out.insert(out.end(), payload.begin(), payload.end());
  }
  return out;
}

struct Setup : test::SourceFixture {
  Setup() {
    context.pci_directory = tree.at("sys/devices/pci0000:00/0000:00:01.0/0000:3b:00.0");
    tree.write("sys/class/net/eth2/ifindex", "7\n");
    kernel->answer(kRtmGetAddress, datagram({address_payload(AF_INET, 7, 24, "10.0.0.1"),
                                             address_payload(AF_INET, 8, 24, "10.0.0.9"),
                                             address_payload(AF_INET6, 7, 64, "fe80::1")}));
  }
  void pci(const std::string& name, std::string_view content) {
    tree.write("sys/devices/pci0000:00/0000:00:01.0/0000:3b:00.0/" + name, content);
  }
  void conf(const std::string& netdev, const std::string& name, std::string_view value) {
    tree.write("proc/sys/net/ipv4/conf/" + netdev + "/" + name, value);
  }
  std::shared_ptr<test::FakeTransport> kernel = std::make_shared<test::FakeTransport>();
  std::unique_ptr<DeviceSource> source() {
    return surroundings_source(address_reader(kernel))(context);
  }
};

std::string config_space(std::uint16_t acs_control) {
  std::string bytes(4096, '\0');
  const auto put = [&](std::size_t at, std::uint32_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  };
  put(0x100, 0x14820001U, 4);  // AER, then the one at 0x148
  put(0x148, 0x0001000dU, 4);  // ACS, the last
  put(0x148 + 6, acs_control, 2);
  return bytes;
}

}  // namespace

TEST_CASE("addresses are those of the device's netdevs") {
  Setup s;
  const auto source = s.source();
  const auto device = s.read(*source);
  CHECK(s.success);
  REQUIRE(device.netdevs[0].addresses);
  CHECK(*device.netdevs[0].addresses == std::vector<std::string>{"10.0.0.1/24", "fe80::1/64"});
  CHECK(s.kernel->requests().size() == 1);
  static_cast<void>(s.read(*source));
  CHECK(s.kernel->requests().size() == 1);  // not before the next refresh
  source->refresh();
  static_cast<void>(s.read(*source));
  CHECK(s.kernel->requests().size() == 2);
}

TEST_CASE("addresses that the kernel does not tell are unknown, not none") {
  Setup s;
  s.kernel->forget(kRtmGetAddress);
  s.kernel->refuse(kRtmGetAddress, EPERM);
  const auto device = s.read(*s.source());
  CHECK_FALSE(s.success);
  CHECK_FALSE(device.netdevs[0].addresses);
  CHECK(s.errors(core::Source::kHost) == 1);
}

TEST_CASE("the far end of a point-to-point link is not this host's address") {
  const auto decoded = decode_address(address_payload(AF_INET, 3, 32, "10.1.0.1", "10.1.0.2"));
  REQUIRE(decoded);
  CHECK(decoded->text == "10.1.0.1/32");
  CHECK_FALSE(decode_address({}));
  CHECK_FALSE(decode_address(address_dump_request()));
  CHECK_FALSE(decode_address(Bytes(address_payload(AF_INET, 0, 24, "10.0.0.1"))));
}

TEST_CASE("the higher of a netdev's setting and the one for all counts") {
  Setup s;
  CHECK_FALSE(s.read(*s.source()).netdevs[0].ipv4);
  for (const auto& [name, all, own] :
       {std::tuple("arp_ignore", "1\n", "0\n"), std::tuple("arp_announce", "0\n", "2\n"),
        std::tuple("rp_filter", "0\n", "0\n")}) {
    s.conf("all", name, all);
    s.conf("eth2", name, own);
  }
  const auto device = s.read(*s.source());
  REQUIRE(device.netdevs[0].ipv4);
  CHECK(device.netdevs[0].ipv4->arp_ignore == 1);
  CHECK(device.netdevs[0].ipv4->arp_announce == 2);
  CHECK(device.netdevs[0].ipv4->rp_filter == 0);
}

TEST_CASE("interrupts are near or far by the CPUs they go to") {
  Setup s;
  CHECK_FALSE(s.read(*s.source()).interrupts);
  s.pci("local_cpulist", "0-3\n");
  for (const char* irq : {"41", "42", "43"}) s.pci(std::string("msi_irqs/") + irq, "msix\n");
  s.tree.write("proc/irq/41/effective_affinity_list", "2\n");
  s.tree.write("proc/irq/42/effective_affinity_list", "9\n");
  s.tree.write("proc/irq/43/smp_affinity_list", "4-7\n");  // a kernel without the effective one
  const auto device = s.read(*s.source());
  REQUIRE(device.interrupts);
  CHECK(device.interrupts->total == 3);
  CHECK(device.interrupts->remote == 2);
}

TEST_CASE("the device's node is found by its name") {
  Setup s;
  CHECK(s.read(*s.source()).node->path.empty());
  s.tree.write("sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_0\n");
  CHECK(s.read(*s.source()).node->open_error == ENOENT);
  s.tree.write("dev/infiniband/uverbs1", "");
  const auto device = s.read(*s.source());
  CHECK(device.node->path == s.tree.at("dev/infiniband/uverbs1").string());
  CHECK(device.node->open_error == 0);
}

TEST_CASE("a bridge above the device redirects, does not, or cannot be read") {
  Setup s;
  const auto bridge = "sys/devices/pci0000:00/0000:00:01.0/config";
  CHECK_FALSE(s.read(*s.source()).pcie.acs_redirects);
  s.tree.write(bridge, std::string(64, '\0'));  // all that is given without CAP_SYS_ADMIN
  CHECK_FALSE(s.read(*s.source()).pcie.acs_redirects);
  s.tree.write(bridge, config_space(0x0001));  // source validation alone
  CHECK(s.read(*s.source()).pcie.acs_redirects == false);
  s.tree.write(bridge, config_space(0x001d));
  CHECK(s.read(*s.source()).pcie.acs_redirects == true);
}

TEST_CASE("a chain of capabilities that is none or a circle ends") {
  CHECK(acs_redirects(std::string(4096, '\0')) == false);
  std::string circle(4096, '\0');
  circle[0x100] = 1;
  circle[0x103] = 0x10;  // next: 0x100
  CHECK(acs_redirects(circle) == false);
  CHECK(acs_redirects(std::string(4096, '\xff')) == false);
}

TEST_CASE("lists of CPUs") {
  CHECK(parse_cpu_list("0-3,8,10-11\n")->count() == 7);
  CHECK(parse_cpu_list("\n")->none());
  for (const char* bad : {"3-1", "a", "1,,2", "-1", "0-99999999999", "8192"})
    CHECK_FALSE(parse_cpu_list(bad));
}
