// Flow labels and the UDP source ports they become: what ECMP of a RoCE v2 fabric hashes.
#pragma once

#include <cstdint>

namespace rdmadiag::probes {

// ibv_flow_label_to_udp_sport(3). Labels 1…0x3fff map to ports one to one.
[[nodiscard]] constexpr std::uint16_t udp_source_port(std::uint32_t flow_label) {
  return static_cast<std::uint16_t>(0xc000 | ((flow_label & 0x3fff) ^ (flow_label >> 14)));
}

// The label the kernel gives an RC connection that asked for none (rdma_calc_flow_label in
// include/rdma/ib_verbs.h): a job's source port follows from its QPNs.
[[nodiscard]] constexpr std::uint32_t flow_label_of_qpns(std::uint32_t local,
                                                         std::uint32_t remote) {
  std::uint64_t product = std::uint64_t{local} * remote;
  product ^= product >> 20;
  product ^= product >> 40;
  return static_cast<std::uint32_t>(product & 0xfffff);
}

// Label 0 is never used: on mlx5 it means a random port. The n-th label of a target whose hash is
// `hash`.
[[nodiscard]] constexpr std::uint32_t probe_label(std::uint64_t hash, std::uint32_t n) {
  return static_cast<std::uint32_t>((hash + std::uint64_t{n} * 0x9e37) % 0x3fff) + 1;
}

}  // namespace rdmadiag::probes
