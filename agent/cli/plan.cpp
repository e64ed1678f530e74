// `rdmadiag plan`: what probing would cost a cluster of a given size.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "exporters/table.h"
#include "probes/plan.h"

namespace rdmadiag::cli {
namespace {

using exporters::Align;

// 12,400; 74.2k; 1.23M.
std::string amount(double value) {
  if (value >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

void print_json(const probes::PlanInput& input, const probes::Plan& plan, Context& context) {
  const nlohmann::ordered_json document = {
      {"schema_version", 1},
      {"hosts", input.hosts},
      {"rnics_per_host", input.rnics_per_host},
      {"hosts_per_leaf", input.hosts_per_leaf},
      {"rnics", plan.rnics},
      {"leaves", plan.leaves},
      {"leaf_targets", plan.leaf_targets},
      {"fabric_targets", plan.fabric_targets},
      {"target_leaves", plan.target_leaves},
      {"seconds_between_probes", plan.seconds_between_probes},
      {"leaf_pairs_covered_ratio", plan.leaf_pairs_covered},
      {"probes_per_second", plan.probes_per_second},
      {"bits_per_second", plan.bits_per_second},
      {"cluster_probes_per_second", plan.cluster_probes_per_second},
      {"cluster_bits_per_second", plan.cluster_bits_per_second},
      {"link_share_100g_ratio", plan.link_share_100g},
      {"probe_series_per_rnic", plan.probe_series_per_rnic},
      {"series_per_rnic", plan.series_per_rnic},
      {"cluster_series", plan.cluster_series},
      {"prometheus_shards", plan.prometheus_shards}};
  context.out() << document.dump(2) << "\n";
}

void print_text(const probes::PlanInput& input, const probes::Plan& plan, Context& context) {
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  exporters::Table table(
      {{"", Align::kLeft, 20}, {"EACH NIC", Align::kRight}, {"CLUSTER", Align::kRight}});
  table.add_row({"NICs", "", number(plan.rnics)});
  table.add_row({"leaves", "", number(plan.leaves)});
  table.add_row({"targets in its leaf", number(plan.leaf_targets)});
  table.add_row({"targets in other leaves", number(plan.fabric_targets)});
  table.add_row({"other leaves it probes", number(plan.target_leaves)});
  table.add_row({"pairs of leaves covered", "",
                 share(static_cast<std::uint64_t>(plan.leaf_pairs_covered * 1000), 1000)});
  table.add_row(
      {"time between two probes of a leaf target", short_time(plan.seconds_between_probes)});
  table.add_row(
      {"probes a second", amount(plan.probes_per_second), amount(plan.cluster_probes_per_second)});
  table.add_row(
      {"bits a second", amount(plan.bits_per_second), amount(plan.cluster_bits_per_second)});
  table.add_row({"of a 100 Gb/s link", fmt::format("{:.2g}%", 100 * plan.link_share_100g)});
  table.add_row({"series of probes", number(plan.probe_series_per_rnic)});
  table.add_row({"series, counters included", number(plan.series_per_rnic),
                 amount(static_cast<double>(plan.cluster_series))});
  table.add_row({"Prometheus servers, a million series each", "", number(plan.prometheus_shards)});
  context.out() << input.hosts << " hosts with " << input.rnics_per_host << " NICs, "
                << input.hosts_per_leaf << " hosts a leaf\n"
                << table.render(context.world.style);
}

}  // namespace

Action define_plan(CLI::App& app) {
  auto input = std::make_shared<probes::PlanInput>();
  app.add_option("--hosts", input->hosts, "Hosts of the cluster")
      ->required()
      ->type_name("N")
      ->check(CLI::Range(1U, 1'000'000U));
  app.add_option("--rnics", input->rnics_per_host, "RDMA NICs of each host (8 unless said)")
      ->type_name("N")
      ->check(CLI::Range(1U, 64U));
  app.add_option("--per-leaf", input->hosts_per_leaf,
                 "Hosts that share their leaves, one leaf for each NIC (32 unless said)")
      ->type_name("N")
      ->check(CLI::Range(1U, 1'000'000U));
  return [input](Context& context) {
    const auto plan = probes::make_plan(*input);
    if (!plan) {
      report_failure(context, plan.error());
      return kExitUsage;
    }
    if (context.options.json) {
      print_json(*input, *plan, context);
    } else {
      print_text(*input, *plan, context);
    }
    return kExitFine;
  };
}

}  // namespace rdmadiag::cli
