#include "agent/cli/commands.h"

#include <array>

namespace rdmadiag::cli {

std::span<const Command> all_commands() {
  static constexpr std::array kCommands = std::to_array<Command>({
      {"status", "One screen: each device and port, and what is wrong", define_status},
      {"devices", "What each device is: firmware, PCIe, NUMA node, ports", define_devices},
      {"gids", "The GID tables, and which GID probes use and why", define_gids},
      {"counters", "Every counter, what it means and how fast it moves", define_counters},
      {"qps", "The live queue pairs and their owners", define_qps},
      {"check", "The diagnosis: what is wrong, what it means and what to do next", define_check},
      {"doctor", "Whether this host can run probes, and what mends it when it cannot",
       define_doctor},
      {"fabric", "The InfiniBand subnet: links, mismatches, ports with errors (needs umad)",
       define_fabric},
      {"ping", "Probe one peer over RDMA, and say what became of each probe", define_ping},
      {"bench", "Latency and bandwidth to a peer over message sizes", define_bench},
      {"peers", "The agents that are known, from where, and whether they answer", define_peers},
      {"pinglist", "Whom each NIC probes, how often and why", define_pinglist},
      {"mesh", "Round trips and losses between all NICs, as their agents measured them",
       define_mesh},
      {"locate", "Which NIC, leaf or link loses probes, from what all agents saw", define_locate},
      {"trace", "Which routers each flow label passes on its way to a peer", define_trace},
      {"plan", "What probing would cost a cluster of a given size", define_plan},
      {"metrics", "The catalogue: every metric and the kernel counters it is made of",
       define_metrics},
      {"config", "Check the daemon's configuration, or show what is in effect", define_config},
      {"report", "Write one self-contained page for a ticket: findings, plots, facts",
       define_report},
      {"capture", "Write what this host tells to an archive that any command replays",
       define_capture},
  });
  return kCommands;
}

}  // namespace rdmadiag::cli
