// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/forms/cycles.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/phased.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace cycles_test {

using namespace ipuflow;

TEST_CASE("PopART's pipelines are eager 1F1B in cycles of two steps") {
  // The vendor's own table for three IPUs and five micro-batches: a forward of stage s in cycle m + s, its backward in m + 4 - s
  const schedule::table t = schedule::in_cycles(schedule::eager_1f1b({.ipus = 3, .micro_batches = 5}));
  CHECK(t.steps() == 9);
  for (std::size_t ipu = 0; ipu < 3; ++ipu) {
    CHECK(t.count(ipu) == 10);
    for (const schedule::placed& o : t.rows[ipu]) {
      CHECK(o.step == (o.kind == schedule::pass::forward ? o.micro_batch + ipu : o.micro_batch + 4 - ipu));
    }
  }
  CHECK(!schedule::verify(t));
}

TEST_CASE("cycles of one step change nothing, and what is refused stays refused") {
  const auto eager = schedule::eager_1f1b({.ipus = 4, .micro_batches = 6});
  const schedule::table t = schedule::in_cycles(eager, 1);
  for (std::size_t ipu = 0; ipu < 4; ++ipu) {
    std::size_t i = 0;
    for (auto w = eager.walk(ipu); w; ++w, ++i) CHECK(t.rows[ipu][i] == *w);
    CHECK(t.count(ipu) == i);
  }
  CHECK(schedule::in_cycles(schedule::eager_1f1b({.ipus = 2, .micro_batches = 0})).refused);
  CHECK_THROWS_AS((void)schedule::in_cycles(eager, 0), rejected<arithmetic_fault>);
}

TEST_CASE("cycles recompute and leave the chip as the steps that they are made of") {
  using namespace schedule;
  for (const recomputation again : {recomputation::none, recomputation::then_backpropagate, recomputation::and_backpropagate})
    CHECK(in_cycles(grouped({.ipus = 2, .micro_batches = 8}, {.recompute = again})).recompute == again);
  for (const liveness live : {liveness::always_live, liveness::off_chip_after_forward, liveness::off_chip_after_each_phase})
    CHECK(in_cycles(phased({.ipus = 2, .micro_batches = 8}, {.live = live})).live == live);
}

}  // namespace cycles_test
