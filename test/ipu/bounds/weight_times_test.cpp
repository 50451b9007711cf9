// SPDX-License-Identifier: BSL-1.0
// The laws: no plan is done sooner than its bound, or holds less, and bounds of more rows are not less.
#include <ipuflow/ipu/bounds/weight_times.hpp>

#include "random_convolutions.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace weight_times_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a plan takes no less than its bound, and not much more") {
  random_convolutions::source random(4);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t n = 0; n < 400; ++n) {
    const auto asked = random.next();
    const architecture& chip = asked.chip;
    const conv_shape s = asked.s.simplified();
    const weight_numbers numbers{chip, s};
    std::vector<weight_gradient_plan> all;
    for_each_weight_gradient_plan(s, chip.tiles, [&](const weight_gradient_plan& p) { all.push_back(p); });
    for (std::size_t tried = 0; tried < 20; ++tried) {
      const weight_gradient_plan p = estimated(chip, s, all[random.below(all.size())]);
      const weight_times times(numbers, p);
      const std::size_t samples = divided_up(s.batch, p.batch_parts), made = divided_up(s.out_rows(), p.row_parts),
                        high = samples * made, seen = samples * s.rows_seen(made), partials = p.partials();
      const std::size_t least = times.least(numbers, high, seen, partials), exact = p.estimate.value;
      CHECK(least + times.more(numbers, partials) <= exact);
      CHECK(least <= times.least(numbers, high + 1 + random.below(9), seen + random.below(9), partials));
      CHECK(times.held(numbers, high, seen) <= p.temporary.value);
      CHECK(times.pieces({p.batch_parts, samples}, {p.row_parts, made, s.rows_seen(made)}) == p.pieces);
      sum += static_cast<double>(least) / static_cast<double>(exact), ++count;
    }
  }
  CHECK(sum / static_cast<double>(count) > 0.8);
}

}  // namespace weight_times_test
