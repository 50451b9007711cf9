// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/replica_parts.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
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

TEST_CASE("Collectives that stand side by side take what one of all their bytes takes, and change no number") {
  const auto made = [](graph& g, const std::vector<variable_id>& all, bool merged) {
    step program;
    for (const variable_id v : all) program.then(all_reduce(v));
    if (merged) merge_collectives(g, program);
    return program;
  };
  graph g(small_chip(), 2);
  const std::size_t tiles = small_chip().tiles;
  std::vector<variable_id> here;
  for (const std::size_t n : {3u, 20'000u, 500u}) here.push_back(g.add_variable<float>("here", n, linear(n, 3)));
  const chip_system all = pod(small_chip(), 8);
  const step apart = made(g, here, false), merged = made(g, here, true);
  const auto ring = [&](std::size_t numbers) { return ring_time(all, bytes{4} * numbers, 4, 2, 2); };
  CHECK(cost(all, g, merged, {.replicas = 4}).total == ring(20'503));
  CHECK(cost(all, g, apart, {.replicas = 4}).total == ring(3) + ring(20'000) + ring(500));
  engine runs(all, g, merged, {.replicas = 4, .checked = true});
  for (std::size_t r = 0; r < 4; ++r) {
    for (const variable_id v : here) runs.write(v, std::vector<float>(g[v].elements(), static_cast<float>(r + 1)), r);
  }
  CHECK(runs.run() == cost(all, g, merged, {.replicas = 4}));
  for (const variable_id v : here) CHECK(runs.read<float>(v, 3) == std::vector<float>(g[v].elements(), 10));

  // Replicas in another order have the same numbers, and take as long.
  engine turned(all, g, merged, {.replicas = 4, .checked = true});
  for (std::size_t r = 0; r < 4; ++r) {
    for (const variable_id v : here) turned.write(v, std::vector<float>(g[v].elements(), static_cast<float>((3 * r + 1) % 4 + 1)), r);
  }
  CHECK(turned.run() == cost(all, g, merged, {.replicas = 4}));
  for (const variable_id v : here) CHECK(turned.read<float>(v, 1) == runs.read<float>(v, 3));

  // On another chip, of both chips, or behind something else, one begins anew.
  const variable_id there = g.add_variable<float>("there", 500, linear(500, 3, tiles)), both = g.add_variable<float>("both", 500, linear(500, 2 * tiles));
  const auto befores = [&](step program) {
    merge_collectives(g, program);
    std::vector<std::uint64_t> found;
    for_each_inner(program, [&](const step& s) {
      if (const auto* const one = s.get_if<all_reduce>()) found.push_back(one->before.value);
      if (const auto* const one = s.get_if<reduce_scatter>()) found.push_back(one->before.value);
    });
    return found;
  };
  CHECK(befores(made(g, {here[0], here[2], here[1]}, false)) == std::vector<std::uint64_t>{0, 12, 2012});
  CHECK(befores(made(g, {here[0], there, here[2], both, both, here[0]}, false)) == std::vector<std::uint64_t>{0, 0, 0, 0, 0, 0});
  CHECK(befores(sequence(all_reduce(here[0]), synchronise(), all_reduce(here[2]))) == std::vector<std::uint64_t>{0, 0});
  CHECK(befores(sequence(all_reduce(here[0]), reduce_scatter(here[2], here[0]), all_reduce(here[0]))) == std::vector<std::uint64_t>{0, 0, 0});
}

TEST_CASE("a collective of nothing is merged with none") {
  graph g(mk2);
  const variable_id nothing = g.add_variable<float>("nothing", 0, {}), some = g.add_variable<float>("some", 100, linear(100, 3, 1));
  step program = sequence(all_reduce(nothing), all_reduce(some), all_reduce(nothing), all_reduce(some));
  merge_collectives(g, program);
  for_each_inner(program, [](const step& s) { CHECK(s.as<all_reduce>().before.value == 0); });
}

}  // namespace replica_parts_test
