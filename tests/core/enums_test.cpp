#include "agent/core/enums.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;

TEST_CASE("an unknown number prints as its number") {
  CHECK(port_state_name(4) == "ACTIVE");
  CHECK(port_state_name(7) == "7");
  CHECK(port_state_name(-3) == "-3");
  CHECK(physical_state_name(5) == "LinkUp");
  CHECK(physical_state_name(0) == "0");
  CHECK(node_type_name(4) == "RNIC");
  CHECK(node_type_name(99) == "99");
  CHECK(qp_state_name(6) == "ERR");
  CHECK(qp_type_name(255) == "DRIVER");
  CHECK(qp_type_name(5) == "5");
}

TEST_CASE("words of the kernel become values, others become unknown") {
  CHECK(parse_link_layer("InfiniBand") == LinkLayer::kInfiniband);
  CHECK(parse_link_layer("Ethernet") == LinkLayer::kEthernet);
  CHECK(parse_link_layer("Unknown") == LinkLayer::kUnknown);
  CHECK(parse_link_layer("infiniband") == LinkLayer::kUnknown);
  CHECK(parse_protocol("iw") == Protocol::kIwarp);
  CHECK(parse_protocol("opa") == Protocol::kOmniPath);
  CHECK(parse_protocol("") == Protocol::kUnknown);
}

TEST_CASE("a protocol is known again by the name we give it") {
  for (const Protocol protocol :
       {Protocol::kUnknown, Protocol::kInfiniband, Protocol::kRoce, Protocol::kIwarp,
        Protocol::kOmniPath, Protocol::kUsnic, Protocol::kEfa}) {
    CAPTURE(protocol_name(protocol));
    CHECK(parse_protocol(protocol_name(protocol)) == protocol);
  }
}
