// SPDX-License-Identifier: BSL-1.0
// The steps of a line, which stages have it, and the order of passes in a step.
#include <ipuflow/schedule/forms/line.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>

namespace line_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(line{who::everyone, 5, 2, 10, 0, 1}.base(3, 2) == 5 + 2 * 1 + 10 * 1);
static_assert(line{who::first}.has(0, 3) && !line{who::first}.has(1, 3));
static_assert(line{who::last}.has(2, 3) && !line{who::last}.has(1, 3));
static_assert(line{who::all_but_last}.has(1, 3) && !line{who::all_but_last}.has(2, 3));
static_assert(!line{}.has(0, 1) && line{who::everyone}.has(2, 3));

TEST_CASE("a part has as many groups as it needs") {
  part p;
  p.assign(3, 10, 4);
  CHECK(p.first == 3);
  CHECK(p.groups() == 3);
  p.assign(0, 8, 4);
  CHECK(p.groups() == 2);
}

TEST_CASE("in a step backward comes before forward, the highest slot first, recomputation last") {
  CHECK(rank_in_step(pass::backward, 3) < rank_in_step(pass::forward, 0));
  CHECK(rank_in_step(pass::backward, 0) < rank_in_step(pass::backward, 1));
  CHECK(rank_in_step(pass::forward, 1) < rank_in_step(pass::forward, 0));
  CHECK(rank_in_step(pass::forward, 0) < rank_in_step(pass::recompute, 0));
  CHECK(rank_in_step(pass::infeed, 0) < rank_in_step(pass::backward, 0));
  // A pass comes before another whatever their stages are, and no two stages tie.
  const pass in_order[] = {pass::infeed, pass::backward, pass::backward_weights, pass::forward, pass::recompute};
  for (std::size_t i = 1; i < std::size(in_order); ++i) {
    for (const std::size_t before : {std::size_t{0}, std::size_t{1}, most_stages - 1}) {
      for (const std::size_t after : {std::size_t{0}, std::size_t{1}, most_stages - 1}) {
        CHECK(rank_in_step(in_order[i - 1], before) < rank_in_step(in_order[i], after));
        CHECK((rank_in_step(in_order[i], before) == rank_in_step(in_order[i], after)) == (before == after));
      }
    }
  }
}

}  // namespace line_test
