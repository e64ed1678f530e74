#include "probes/plan.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::probes;

TEST_CASE("the plan of a large cluster has the published figures") {
  const auto plan = make_plan({.hosts = 10'000, .rnics_per_host = 8, .hosts_per_leaf = 32});
  REQUIRE(plan);
  CHECK(plan->rnics == 80'000);
  CHECK(plan->leaves == 313 * 8);
  CHECK(plan->leaf_targets == 31);
  CHECK(plan->fabric_targets == 16);
  CHECK(plan->probes_per_second == 20);
  CHECK(plan->bits_per_second == Approx(73'920));
  CHECK(plan->link_share_100g < 1e-5);
  CHECK(plan->seconds_between_probes == Approx(3.1));
  CHECK(plan->leaf_pairs_covered == Approx(32 * 8 / 2503.0));
  CHECK(plan->probe_series_per_rnic <= 80);
  CHECK(plan->cluster_series <= 11'000'000);
  CHECK(plan->prometheus_shards <= 12);
}

TEST_CASE("a small cluster has only what it can have") {
  const auto two = make_plan({.hosts = 2, .rnics_per_host = 1, .hosts_per_leaf = 32});
  REQUIRE(two);
  CHECK(two->leaves == 1);
  CHECK(two->leaf_targets == 1);
  CHECK(two->fabric_targets == 0);
  CHECK(two->probes_per_second == 10);
  CHECK(two->leaf_pairs_covered == 1);
  const auto lone = make_plan({.hosts = 1, .rnics_per_host = 1});
  REQUIRE(lone);
  CHECK(lone->probes_per_second == 0);
}

TEST_CASE("sizes that make no sense are refused") {
  CHECK_FALSE(make_plan({.hosts = 0}));
  CHECK_FALSE(make_plan({.hosts = 4'000'000'000, .rnics_per_host = 4'000'000'000}));
  CHECK_FALSE(make_plan({.hosts = 8, .rnics_per_host = 1, .hosts_per_leaf = 0}));
}
