// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/replica_parts.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace replica_parts_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

static_assert(part_size(12, 4) == 3 && part_size(13, 4) == 4);

TEST_CASE_TEMPLATE("Parts are gathered, and sums scattered, whether or not they come out even", Element, float, half) {
  for (const std::size_t replicas : {2u, 3u}) {
    for (const std::size_t elements : {12u, 13u, 5u}) {
      CAPTURE(replicas);
      CAPTURE(elements);
      graph g(small_chip());
      const std::size_t each = part_size(elements, replicas);
      const variable_id whole = g.add_variable<Element>("whole", elements, linear(elements, 3));
      const variable_id sum = g.add_variable<Element>("sum", each, linear(each, 2));
      const variable_id again = g.add_variable<Element>("again", elements, linear(elements, 4));
      const step program = sequence(add_up_parts(g, whole, sum, replicas), gather_parts(g, sum, again, replicas));
      const chip_system all = pod(small_chip(), replicas);
      engine runs(all, g, program, {.replicas = replicas, .checked = true});
      std::vector<Element> wanted(elements);
      for (std::size_t i = 0; i < elements; ++i) wanted[i] = Element{static_cast<float>(i * replicas + replicas * (replicas - 1) / 2)};
      for (std::size_t r = 0; r < replicas; ++r) {
        std::vector<Element> given(elements);
        for (std::size_t i = 0; i < elements; ++i) given[i] = Element{static_cast<float>(i + r)};
        runs.write(whole, given, r);
      }
      CHECK(runs.run() == cost(all, g, program, {.replicas = replicas}));
      for (std::size_t r = 0; r < replicas; ++r) {
        CHECK(runs.read<Element>(again, r) == wanted);
        const std::vector<Element> mine = runs.read<Element>(sum, r);
        for (std::size_t i = 0; i < each; ++i) CHECK(mine[i] == (r * each + i < elements ? wanted[r * each + i] : Element{}));
      }
    }
  }
}

TEST_CASE("What comes out even takes no memory beside it") {
  const auto variables = [](std::size_t elements) {
    graph g(small_chip());
    const variable_id whole = g.add_variable<float>("whole", elements, linear(elements, 3));
    const variable_id part = g.add_variable<float>("part", part_size(elements, 2), linear(part_size(elements, 2), 3));
    (void)gather_parts(g, part, whole, 2);
    return g.variables().size();
  };
  CHECK(variables(12) == 2);
  CHECK(variables(13) == 3);
}

TEST_CASE("a padded tensor stands on tiles of the tensor, wherever that begins") {
  architecture chip = mk2;
  chip.tiles = 16;
  graph g(chip);
  const variable_id whole = g.add_variable<float>("whole", 7, {{0, 3, 15}, {3, 5, 2}, {5, 7, 9}});
  const variable_id part = g.add_variable<float>("part", 4, on_tile(4, 0));
  (void)gather_parts(g, part, whole, 2);
  const variable& padded = g.variables().back();
  CHECK(padded.elements() == 8);
  for (const mapped_interval& i : padded.map()) {
    CHECK(i.tile >= 2);
    CHECK(i.tile <= 15);
  }
}

}  // namespace replica_parts_test
