// SPDX-License-Identifier: BSL-1.0
// V-Half keeps 2 * floor((P + 2) / 2) values and no more.
#include "../reference_greedy.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/v_half.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace v_half_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

// Within the usual limits of compilers: 3,072 and 12,288 operations.
static_assert(accept<verify(v_half({.ipus = 8, .micro_batches = 64}))>());
static_assert(accept<verify(v_half({.ipus = 16, .micro_batches = 128}))>());
static_assert(makespan(v_half({.ipus = 4, .micro_batches = 8})) == 53);
static_assert(accept<verify(v_half({.ipus = 4, .micro_batches = 8}))>());

// Larger ones have a sentence, and where a compiler may choose, the program works them out.
constexpr schedule_fault too_large = verify(v_half({.ipus = 16, .micro_batches = 150}));
static_assert(too_large.kind == schedule_wrong::too_large_for_a_constant && too_large.got == 14'400);
static_assert(verify(v_half({.ipus = 8, .micro_batches = 40})).kind == schedule_wrong::too_large_for_a_constant);  // searched
static const std::size_t chosen_by_the_compiler = makespan(v_half({.ipus = 32, .micro_batches = 512}));
static const auto made_by_the_compiler = v_half({.ipus = 32, .micro_batches = 512});

TEST_CASE("what is too large for a constant is worked out when the program runs") {
  const auto t = v_half({.ipus = 32, .micro_batches = 512});
  CHECK_FALSE(verify(t));
  CHECK_FALSE(verify(made_by_the_compiler));
  CHECK(chosen_by_the_compiler == makespan(t));
  CHECK(makespan(t) > 6 * 512);
}

TEST_CASE("valid everywhere, within its memory, at its peak, and no longer than V-Min") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 1; count <= 24; ++count) {
      const setup asked{.ipus = ipus, .micro_batches = count};
      const auto t = v_half(asked);
      REQUIRE_FALSE(verify(t));
      std::size_t most = 0;
      for (const std::size_t kept : peak(t)) most = kept > most ? kept : most;
      CHECK(most <= (ipus + 2) / 2 * 2);
      if (count >= ipus) CHECK(most == (ipus + 2) / 2 * 2);
      if (count >= 2 * ipus) CHECK(makespan(t) <= makespan(v_min(asked)));
    }
  }
}

TEST_CASE("with the positions that the published block has, an odd number of IPUs is as fast as this") {
  CHECK(makespan(v_half({.ipus = 7, .micro_batches = 12})) == 6 * 12 + 17);
  CHECK(makespan(v_half({.ipus = 7, .micro_batches = 24})) == 6 * 24 + 17);
}

TEST_CASE("the choices that are known are those that a search finds") {
  for (const std::size_t ipus : {1u, 2u, 3u, 7u, 8u, 9u, 16u, 25u, 32u}) {
    const v_half_choice found = v_half_search(grid{ipus, 2 * ipus, 8 * ipus, layout::vee}), known = v_half_found[ipus - 1];
    CHECK(found.kept_first == known.kept_first);
    CHECK(found.extra == known.extra);
  }
}

TEST_CASE("more micro-batches only add to the steady state") {
  for (const std::size_t ipus : {2u, 4u, 8u}) {
    const std::size_t idle = makespan(v_half({.ipus = ipus, .micro_batches = 50})) - 300;
    CHECK(makespan(v_half({.ipus = ipus, .micro_batches = 400})) <= 2400 + idle);
  }
}

TEST_CASE("a table of more operations than a memory has room for is refused; by its name it is a program") {
  const setup large{.ipus = 1024, .micro_batches = 1'000'000};
  const table t = v_half(large);
  CHECK(sentence(t.refused).view() ==
        "ipuflow: this schedule is a table, and would have 6144000000 operations where one has at most 67108864; give fewer micro-batches, or ask for it by its name");
  v_half.by_name(large, [](const auto& named) {
    CHECK_FALSE(verify(named));
    for (const std::size_t kept : peak(named)) CHECK(kept <= 1026);
    CHECK(makespan(named) < 6 * 1'000'000 + 7 * 1024);
  });
}

TEST_CASE("too many attempts are not tried: the table is that of the blocks") {
  const setup many{.ipus = 300, .micro_batches = 600};
  const table t = v_half(many);
  CHECK_FALSE(verify(t));
  const table blocks = tabulate(v_half_blocks(many));
  for (std::size_t ipu = 0; ipu < 300; ++ipu) CHECK(std::equal(t.rows[ipu].begin(), t.rows[ipu].end(), blocks.rows[ipu].begin(), blocks.rows[ipu].end()));
}

TEST_CASE("the blocks are valid for any sizes, within the memory, and no longer than their cells") {
  for (std::size_t ipus = 1; ipus <= 40; ++ipus) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, ipus / 2 + 1, ipus, ipus + 1, 2 * ipus, 8 * ipus + 3}) {
      const program t = v_half_blocks({.ipus = ipus, .micro_batches = count});
      REQUIRE_FALSE(verify(t));
      REQUIRE_FALSE(verify_order(t));
      for (const std::size_t kept : peak(t)) CHECK(kept <= v_half_keeps(ipus));
      CHECK(makespan(t) <= 6 * (count + ipus) + 2);  // the end of the last cell
    }
  }
}

TEST_CASE("by its name it is no longer than the authors' order, for few micro-batches too") {
  for (const reference::greedy_makespans& of : reference::greedy) {
    for (std::size_t count = 1; count <= of.v_half.size(); ++count) {
      v_half.by_name({.ipus = of.ipus, .micro_batches = count}, [&](const auto& t) {
        REQUIRE_FALSE(verify(t));
        REQUIRE_FALSE(verify_order(t));
        CHECK(makespan(t) <= of.v_half.begin()[count - 1]);
        for (const std::size_t kept : peak(t)) CHECK(kept <= (of.ipus + 2) / 2 * 2);
      });
    }
  }
}

}  // namespace v_half_test
