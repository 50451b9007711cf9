// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/search/keys.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

namespace keys_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("keys of all kinds rise with micro-batches, and those of a block from a stage to the next") {
  const grid where{.ipus = 3, .stages = 6, .micro_batches = 4, .kind = layout::vee};
  const auto of = instance_of(where, costs{4, 5, 6, 1}, {{3, -1, -2}, 12}, true);
  for (const auto& one : {of, mirrored(of)}) {
    search_heads heads{one};
    heads.run(20);
    greedy_orders greedy{one};
    search_random random{2};
    search_block block{one};
    for (std::size_t round = 0; round < 60; ++round) {
      const std::size_t how = round % 4;
      if (how == 0) plain_keys(greedy, one, heads, random(3));
      if (how == 1) ranked_keys(greedy, one, random);
      if (how == 2) block.draw_even(random);
      if (how == 3) block.draw(random);
      if (how >= 2) block.write(greedy);
      for (std::size_t id = 0; id < one.operations(); ++id) {
        if (id % 4 > 0) CHECK(greedy.key[id] > greedy.key[id - 1]);
      }
      for (std::size_t l = 0; how >= 2 && l < one.lanes.size(); ++l) {
        const std::size_t b = passes_from(one, one.lanes[l]);
        if (one.lanes[l].kind != pass::backward_weights && b != nowhere) CHECK(greedy.key[4 * l] > greedy.key[4 * b]);
      }
    }
  }
  CHECK(period_of(of) == 30);
}

}  // namespace keys_test
