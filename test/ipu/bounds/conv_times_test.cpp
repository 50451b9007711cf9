// SPDX-License-Identifier: BSL-1.0
// The laws: no plan is done sooner than its bound, or holds less, and bounds of more rows are not less.
#include <ipuflow/ipu/bounds/conv_times.hpp>

#include "random_convolutions.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace conv_times_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a line lies below all bundles, and on them behind the first few") {
  const auto bundles = [](std::size_t n) { return n < 3 ? 40 - 5 * n : 20 + 4 * (n - 3); };
  const stream_line line = stream_line::below(bundles);
  for (std::size_t n = 1; n < 100; ++n) CHECK(line.fixed + line.slope * n <= bundles(n));
  CHECK(line.fixed + line.slope * 50 == bundles(50));
}

TEST_CASE("a line never falls, whatever its first values are") {
  const auto bundles = [](std::size_t n) { return n < 4 ? std::size_t{7} : 7 + 100 * (n - 3); };
  const stream_line line = stream_line::below(bundles);
  for (std::size_t n = 1; n < 100; ++n) CHECK(line.fixed + line.slope * n <= bundles(n));
}

TEST_CASE("a plan takes no less than its bound, and not much more") {
  random_convolutions::source random(3);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t n = 0; n < 400; ++n) {
    const auto asked = random.next();
    const architecture& chip = asked.chip;
    for (const conv_shape& whole : {asked.s, asked.s.turned()}) {
      const conv_shape s = whole.simplified();
      const std::size_t rows = s != whole           ? s.rows
                               : whole.turned_round ? whole.rows
                                                    : whole.out_rows(),
                        channels = s.out_channels / s.groups;
      const conv_numbers numbers{chip, s};
      std::vector<conv_plan> all;
      for_each_conv_plan(chip, s, s.batch, rows, channels, chip.tiles, [&](const conv_plan& p) { all.push_back(p); });
      for (std::size_t tried = 0; tried < 10; ++tried) {
        const conv_plan p = estimated(chip, s, s.batch, rows, channels, all[random.below(all.size())], {1u << 30});
        const conv_times times(numbers, channels, p);
        const std::size_t samples = divided_up(s.batch, p.batch_parts), made = divided_up(rows, p.row_parts),
                          high = samples * made, seen = samples * s.seen_for(made);
        const std::size_t least = times.least(numbers, high, seen), exact = p.estimate.value;
        CHECK(least + times.more(numbers, high) <= exact);
        CHECK(least <= times.least(numbers, high + 1 + random.below(9), seen + random.below(9)));
        CHECK(times.held(numbers, high, seen) <= p.temporary.value);
        CHECK(times.pieces(numbers, samples, {p.row_parts, made, s.seen_for(made)}) == p.pieces);
        sum += static_cast<double>(least) / static_cast<double>(exact), ++count;
      }
    }
  }
  CHECK(sum / static_cast<double>(count) > 0.85);
}

TEST_CASE("cuts of rows and of the batch") {
  const auto rows = row_cuts(7, 4, [](std::size_t high) { return high + 2; });
  CHECK(rows.size() == 4);
  CHECK(rows[3].parts == 4);
  CHECK(rows[3].made == 2);
  CHECK(rows[3].seen == 4);
  const rows_read each(rows);
  CHECK(each.seen == 9);
  CHECK(each.made == 7);
  const auto batches = batch_cuts(10, 4);
  CHECK(batches[0].parts == 4);
  CHECK(batches[0].samples == 3);
  CHECK(batches.back().samples == 10);
}

}  // namespace conv_times_test
