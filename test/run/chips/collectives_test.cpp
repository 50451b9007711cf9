// SPDX-License-Identifier: BSL-1.0
// Only what replicas do together gets the label; everything stays in its order, and takes what it took.
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/run/chips/collectives.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace collectives_test {

using namespace ipuflow;

TEST_CASE("all-reduce, reduce-scatter and all-gather are labelled, each by itself") {
  ipu::graph g(ipu::mk2, 1);
  const ipu::variable_id whole = g.add_variable(ipu::name_from("whole"), ipu::element_type::f32, 64, ipu::linear(64, 4));
  const ipu::variable_id part = g.add_variable(ipu::name_from("part"), ipu::element_type::f32, 32, ipu::linear(32, 4));
  const ipu::step update = ipu::sequence(ipu::fill(g, whole, 1), ipu::all_reduce(whole), ipu::reduce_scatter(whole, part),
                                         ipu::fill(g, part, 2), ipu::all_gather(part, whole));
  const ipu::step seen = run::impl::labelled_collectives(update, [] { return 7u; });
  const auto& before = update.as<ipu::impl::sequence_of>().steps;
  const auto& after = seen.as<ipu::impl::sequence_of>().steps;
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!run::impl::is_collective(before[i])) {
      CHECK(after[i].index() == before[i].index());
      continue;
    }
    REQUIRE(after[i].is<ipu::impl::label_of>());
    const auto& labelled = after[i].as<ipu::impl::label_of>();
    CHECK(labelled.label == 7);
    REQUIRE(labelled.steps.size() == 1);
    CHECK(labelled.steps[0].index() == before[i].index());
  }
  const ipu::run_options two{.replicas = 2};
  const ipu::profile counted = ipu::cost(ipu::pod(ipu::mk2, 2), g, seen, two);
  CHECK(counted.total == ipu::cost(ipu::pod(ipu::mk2, 2), g, update, two).total);
  std::size_t labels = 0;
  for (const ipu::activity& a : counted.activities) labels += a.label == 7 ? 1u : 0u;
  CHECK(labels == 3);
}

TEST_CASE("where there are none, no label is asked for") {
  ipu::graph g(ipu::mk2, 1);
  const ipu::variable_id one = g.add_variable(ipu::name_from("one"), ipu::element_type::f32, 4, ipu::linear(4, 1));
  bool asked = false;
  const auto label = [&] { return asked = true, 0u; };
  const ipu::step alone = ipu::fill(g, one, 1);
  CHECK(run::impl::labelled_collectives(alone, label).as<ipu::impl::sequence_of>().steps[0].index() == alone.index());
  CHECK_FALSE(asked);
  const ipu::step seen_alone = run::impl::labelled_collectives(ipu::step{ipu::all_reduce(one)}, label);
  CHECK(seen_alone.as<ipu::impl::sequence_of>().steps[0].is<ipu::impl::label_of>());
}

}  // namespace collectives_test
