// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/network_facts.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace network_facts_test {

using namespace planning_test;

TEST_CASE("facts are worked out once, and keep their places when they are moved") {
  train::impl::network_facts facts(ipu::mk2, {train::planned(network, plan::numbers::f32_32, train::adamw{})});
  const plan::configuration c{.cuts = {3}, .ipus = 2, .micro_batch = 2, .accumulation = 4};
  const train::planned_network& planned = facts.network_of(c);
  CHECK(facts.number_of(planned) == 0);
  const auto* const chain = &facts.chain_of(c, planned);
  const auto* const steps = &facts.steps_of(c, 0);
  const auto* const waits = &facts.waits_of(c, *steps);
  CHECK(chain->size() == 6);
  CHECK(facts.least_time(c, planned, *steps) == plan::least_time<>(*chain, *steps));
  train::impl::network_facts moved = std::move(facts);
  const train::planned_network& same = moved.network_of(c);
  CHECK(&moved.chain_of(c, same) == chain);
  CHECK(&moved.steps_of(c, 0) == steps);
  CHECK(&moved.waits_of(c, *steps) == waits);
  plan::configuration other = c;
  other.micro_batch = 4;
  CHECK(&moved.chain_of(other, same) != chain);
}

TEST_CASE("numbers that no network has are refused, and so are schedules that are not for so many chips, each time") {
  train::impl::network_facts facts(ipu::mk2, {train::planned(network, plan::numbers::f32_32, train::adamw{})});
  CHECK_THROWS_AS((void)facts.network_of({.precision = plan::numbers::f16_16}), rejected<train::planner_fault>);
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS((void)facts.steps_of({.schedule = "no such", .ipus = 2}, 0), error);
}

}  // namespace network_facts_test
