// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/block_reduction.hpp>

#include "run_once.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace block_reduction_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

/// Groups of as many partials each, on tiles that follow each other, and the cycles of their sums.
struct reduction : operation_test<float> {
  std::vector<std::vector<tile_block>> groups{};
  std::vector<tile_block> blocks{};

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
      auto [added, sums] = impl::reduce_blocks(t.g, t.groups, in, element_type::f32);
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

TEST_CASE("blocks of different numbers of partials are added up beside each other, few of them in as many times") {
  operation_test<float> t;
  std::vector<std::vector<tile_block>> groups(2);
  std::vector<tile_block> blocks;
  for (std::size_t i = 0; i < 20; ++i) groups[i < 18 ? 0 : 1].push_back({i, 33});
  for (const auto& group : groups) blocks.insert(blocks.end(), group.begin(), group.end());
  const variable_id in = t.g.add_variable<float>("partials", 20 * 33, mapping_of(blocks));
  auto [added, sums] = impl::reduce_blocks(t.g, groups, in, element_type::f32);
  const variable_id out = t.variable(2 * 33);
  const step program = sequence(std::move(added), copy_all(t.g, sums, out));
  engine e(pod(t.g.chip(), 1), t.g, program);
  e.write(in, std::vector<float>(20 * 33, 1.0f));
  e.run();
  const auto made = e.read<float>(out);
  for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == (i < 33 ? 18.0f : 2.0f));
}

TEST_CASE("150 partials, in three times") {
  graph g(mk2);
  std::vector<tile_block> tiles;
  for (std::size_t t = 0; t < 150; ++t) tiles.push_back({t, 40});
  const variable_id in = g.add_variable<float>("partials", 150 * 40, mapping_of(tiles));
  auto [added, sums] = impl::reduce_blocks(g, {tiles}, in, element_type::f32);
  const variable_id out = g.add_variable<float>("out", 40, on_tile(40, 7));
  const step program = sequence(std::move(added), copy_all(g, sums, out));
  engine e(pod(mk2, 1), g, program);
  std::vector<float> given(150 * 40);
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>(i / 40 + i % 40);
  e.write(in, given);
  e.run();
  const auto made = e.read<float>(out);
  for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == static_cast<float>(150 * 149 / 2 + 150 * i));
}

TEST_CASE("many partials of a small block take a few times, a fraction of the cycles of one, and less exchange code") {
  graph g(mk2);
  std::vector<tile_block> tiles;
  for (std::size_t t = 0; t < 1024; ++t) tiles.push_back({t, 64});
  const variable_id in = g.add_variable<float>("partials", 1024 * 64, mapping_of(tiles));
  const auto counted = [&](const step& program) { return cost(pod(mk2, 1), g, program); };
  const profile thrice = counted(impl::reduce_blocks(g, {tiles}, in, element_type::f32).first);
  const profile once = counted(impl::add_up_blocks(g, {{tiles, 1024}}, in, element_type::f32, nullptr).first);
  CHECK(thrice.total * 5 < once.total);
  const auto most_code = [](const profile& p) {
    std::uint32_t most = 0;
    for (const tile_memory& t : p.memory.tiles) most = std::max(most, t[memory_category::exchange_code]);
    return most;
  };
  CHECK(most_code(thrice) * 10 < most_code(once));
}

}  // namespace block_reduction_test
