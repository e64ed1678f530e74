// For the lab: floods a responder's queue pair as fast as it can. Says as a line of JSON how many
// datagrams of each kind it sent.
//
//   lab_ud_flood DEVICE TARGET_GID TARGET_QPN TARGET_QKEY KEY_FILE SECONDS
#include "tests/support/ud_flood.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "agent/core/gid.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using test::UdFlood;

namespace {

[[noreturn]] void give_up(const std::string& problem) {
  std::fprintf(stderr, "lab_ud_flood: %s\n", problem.c_str());
  std::exit(1);
}

template <class Value>
Value must(core::Result<Value> result) {
  if (!result) give_up(result.error().message());
  return std::move(*result);
}

}  // namespace

int main(int count, char** words) {
  if (count != 7) give_up("DEVICE TARGET_GID TARGET_QPN TARGET_QKEY KEY_FILE SECONDS");
  const auto device = must(Device::open({.name = words[1], .node_guid = {}}));
  const auto gid = core::parse_gid(words[2]);
  if (!gid) give_up("no GID");
  const UdAddress target{.gid = *gid,
                         .lid = 0,
                         .qpn = static_cast<std::uint32_t>(std::stoul(words[3])),
                         .qkey = static_cast<std::uint32_t>(std::stoul(words[4]))};
  const auto keys = must(read_key_file(words[5]));
  auto flood = must(UdFlood::open(device, target, keys.front()));
  const auto counts = must(flood.run(std::chrono::seconds(std::stol(words[6]))));
  nlohmann::json said = {
      {"completed", counts.completed}, {"failed", counts.failed}, {"answers", counts.answers}};
  for (std::size_t kind = 0; kind < UdFlood::kKinds.size(); ++kind)
    said[UdFlood::kKinds.at(kind)] = counts.sent.at(kind);
  std::printf("%s\n", said.dump().c_str());
  return 0;
}
