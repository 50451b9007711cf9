// SPDX-License-Identifier: BSL-1.0
// Squeezed blocks: valid, within the memory of the block, as short as the authors', and more micro-batches only repeat the body.
#include "../reference_greedy.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/squeeze.hpp>
#include <ipuflow/schedule/generators/v_half.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace squeeze_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

std::size_t most_kept(const table& t) {
  std::size_t most = 0;
  for (const std::size_t kept : peak(t)) most = kept > most ? kept : most;
  return most;
}

}  // namespace

TEST_CASE("as short as the authors' order, to the cell, and with as many values at once") {
  for (const reference::greedy_makespans& of : reference::greedy) {
    for (std::size_t count = 1; count <= of.v_half.size(); ++count) {
      const table half = squeezed_blocks<>(of.ipus, count, v_half_block);
      const table least = squeezed_blocks<>(of.ipus, count, v_min_block);
      REQUIRE_FALSE(verify_order(half));
      REQUIRE_FALSE(verify_order(least));
      CHECK(half.steps() == of.v_half.begin()[count - 1]);
      CHECK(least.steps() == of.v_min.begin()[count - 1]);
      CHECK(makespan(half) == half.steps());
      CHECK(most_kept(half) <= (of.ipus + 2) / 2 * 2);
      CHECK(most_kept(least) <= (of.ipus + 4) / 3 * 2);
    }
  }
}

TEST_CASE("more micro-batches repeat the body, six steps each") {
  for (const std::size_t ipus : {2u, 3u, 5u, 8u}) {
    const table few = squeezed_blocks<>(ipus, 4 * ipus, v_half_block);
    const table many = squeezed_blocks<>(ipus, 4 * ipus + 37, v_half_block);
    REQUIRE_FALSE(verify(many));
    CHECK(many.steps() == few.steps() + 6 * 37);
    CHECK(most_kept(many) == most_kept(few));
  }
}

TEST_CASE("too many IPUs have none") {
  CHECK(squeezed_blocks<>(most_squeezed + 1, 4, v_half_block).steps() == 0);
}

TEST_CASE("a row without a body is not repeated") {
  dynamic_array<placed> to;
  CHECK_FALSE(repeat_block(squeezed_blocks<>(4, 3, v_half_block).rows[0], 1, 5, to));
}

}  // namespace squeeze_test
