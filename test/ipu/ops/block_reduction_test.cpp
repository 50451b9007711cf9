// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/block_reduction.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

namespace block_reduction_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

/// Groups of as many partials each, on tiles that follow each other, and the cycles of their sums.
struct reduction : operation_test<float> {
  ipuflow::light_vector<ipuflow::light_vector<tile_block>> groups{};
  ipuflow::light_vector<tile_block> blocks{};

  reduction(std::size_t count, std::size_t parts, std::size_t size) {
    for (std::size_t i = 0; i < count; ++i) {
      groups.emplace_back();
      for (std::size_t p = 0; p < parts; ++p) groups.back().push_back({i * parts + p, size});
      blocks.insert(blocks.end(), groups.back().begin(), groups.back().end());
    }
  }
};

}  // namespace

TEST_CASE("the sums are those of all partials, once or in two times, wherever the shares stand") {
  for (const std::size_t parts : {1u, 3u, 16u, 30u, 64u}) {
    for (const std::size_t size : {5u, 16u, 40u, 300u}) {
      CAPTURE(parts);
      CAPTURE(size);
      const std::size_t count = 64 / parts;
      reduction t(count, parts, size);
      const std::size_t all = count * parts * size;
      const variable_id in = t.g.add_variable<float>("partials", all, mapping_of(t.blocks));
      auto [added, sums] = ipu::impl::reduce_blocks(t.g, t.groups, in, element_type::f32);
      const variable_id out = t.variable(count * size);
      const step program = sequence(std::move(added), copy_all(t.g, sums, out));
      const auto given = t.numbers(all);
      engine e(pod(t.g.chip(), 1), t.g, program);
      e.write(in, given);
      e.run();
      const auto made = e.read<float>(out);
      REQUIRE(made.size() == count * size);
      for (std::size_t i = 0; i < made.size(); ++i) {
        float sum = 0;
        for (std::size_t p = 0; p < parts; ++p) sum += given[(i / size * parts + p) * size + i % size];
        CHECK(made[i] == sum);
      }
    }
  }
}

TEST_CASE("many partials of a small block take two times, and a fraction of the cycles of one") {
  graph g(mk2);
  ipuflow::light_vector<ipuflow::light_vector<tile_block>> groups(1);
  for (std::size_t t = 0; t < 1024; ++t) groups[0].push_back({t, 64});
  const variable_id in = g.add_variable<float>("partials", 1024 * 64, mapping_of(groups[0]));
  const auto counted = [&](const step& program) { return cost(pod(mk2, 1), g, program).total; };
  const cycles twice = counted(ipu::impl::reduce_blocks(g, groups, in, element_type::f32).first);
  const auto all = [](std::size_t parts) { return parts; };
  const cycles once = counted(ipu::impl::add_up_blocks(g, groups, all, in, element_type::f32, nullptr).first);
  CHECK(twice * 5 < once);
}

}  // namespace block_reduction_test
