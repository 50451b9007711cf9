// SPDX-License-Identifier: BSL-1.0
// The laws: no cut is done sooner than its bound says, and what it is said to hold is what the planner has it hold.
#include <ipuflow/ipu/bounds/cut_bound.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace cut_bound_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

constexpr double no_limit = 1e18;

struct random_cuts {
  std::uint64_t state = 20'240'601;

  std::size_t below(std::size_t end) {
    state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    return static_cast<std::size_t>(state >> 33) % end;
  }
  /// Calls `visit(chip, cut, use)`.
  template <class Visit>
  void each(std::size_t count, const Visit& visit) {
    for (const architecture* chip : {&mk1, &mk2, &bow})
      for (std::size_t made = 0; made < count;) {
        const product_sizes s{1 + below(2000), 1 + below(2000), 1 + below(2000), static_cast<amp_precision>(below(3))};
        const std::size_t turns = below(4) == 0 ? 2 : 1, rows = 1 + below(64);
        const product_cut cut{s, rows, 1 + below(divided_up(s.inputs, panel_columns)), 1 + below(divided_up(s.outputs, panel_columns)), {}, turns};
        if (rows * turns > s.rows || rows * cut.input_parts * cut.output_parts > chip->tiles) continue;
        visit(*chip, cut, product_use{1 + below(2), below(2), below(2)});
        ++made;
      }
  }
};

product_sides sides_of(const cut_times& times, const product_cut& c) {
  product_sides made{times.side(c.sizes.rows, c.all_row_parts(), 1), times.side(c.sizes.inputs, c.input_parts, panel_columns),
                     times.side(c.sizes.outputs, c.output_parts, panel_columns), c.turns};
  made.rows.parts = made.rows.most_parts = c.row_parts;
  return made;
}

TEST_CASE("a cut takes no less than its bound, and not much more") {
  double sum = 0;
  std::size_t count = 0;
  random_cuts{}.each(3000, [&](const architecture& chip, const product_cut& cut, const product_use& use) {
    const cut_times times(chip, cut.sizes.type);
    const product_sides c = sides_of(times, cut);
    const auto least = static_cast<double>(times.least(use, c.rows, c.inputs, c.outputs, c.turns, no_limit));
    const double exact = exact_time(chip, cut, use, {1u << 30});
    CHECK(least <= exact);
    sum += least / exact, ++count;
    CHECK(static_cast<double>(times.least(use, c.rows, c.inputs, c.outputs, c.turns, least / 2)) > least / 2);  // it stops above the limit
  });
  CHECK(sum / static_cast<double>(count) > 0.85);
}

TEST_CASE("a bound of several parts of the rows, which are as large, is one of each") {
  const cut_times times(mk2, amp_precision::half_float);
  for (const std::size_t outputs : {16u, 192u, 768u})
    for (std::size_t first = 13; first < 65; ++first) {
      std::size_t last = first;
      while (last < 64 && divided_up(128, last + 1) == divided_up(128, first)) ++last;
      cut_side all = times.side(128, first, 1);
      all.most_parts = last;
      const cut_side inputs = times.side(192, 4, panel_columns), made = times.side(outputs, 1, panel_columns);
      const std::size_t least = times.least({1, 1, 1}, all, inputs, made, 1, no_limit);
      for (std::size_t r = first; r <= last; ++r) CHECK(least <= times.least({1, 1, 1}, times.side(128, r, 1), inputs, made, 1, no_limit));
    }
}

TEST_CASE("a cut holds what the planner has it hold") {
  random_cuts{}.each(1000, [&](const architecture& chip, const product_cut& cut, const product_use& use) {
    std::uint64_t most = 0;
    const auto add = [&](product_pass pass, std::size_t times) {
      const planned_product p = cut.of(pass);
      if (times > 0) most = std::max(most, estimated(chip, p.shape, p.plan).temporary.value);
    };
    add(product_pass::forward, use.forward), add(product_pass::to_inputs, use.to_inputs), add(product_pass::to_weights, use.to_weights);
    CHECK(held_by(use, cut.sizes.type, sides_of(cut_times(chip, cut.sizes.type), cut)).temporary == most);
  });
}

}  // namespace cut_bound_test
