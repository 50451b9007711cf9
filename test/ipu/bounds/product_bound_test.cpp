// SPDX-License-Identifier: BSL-1.0
// The law: whatever cut the products of a stage get holds no more than the bound.
#include <ipuflow/ipu/bounds/product_bound.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace product_bound_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

/// As a stage cuts its products: with as many parts of the rows as are best for all together.
std::vector<product_cut> cut_together(const std::vector<bounded_product>& all, std::size_t samples, bytes memory, std::size_t most_turns = 1) {
  std::vector<product_cut> best;
  cycles least{std::numeric_limits<std::uint64_t>::max()};
  for (std::size_t r = 1; r <= std::min<std::size_t>(all[0].sizes.rows, 64); ++r) {
    if (r % samples != 0 && samples % r != 0) continue;
    std::vector<product_cut> tried;
    cycles together{};
    bool fits = true;
    for (const bounded_product& p : all) {
      tried.push_back(plan_product(mk2, p.sizes, r, p.use, mk2.tiles, memory, most_turns));
      fits = fits && tried.back().fits();
      if (fits) together += tried.back().estimate;
    }
    if (fits && together < least) least = together, best = tried;
  }
  return best;
}

/// The pieces in which the tiles that make a result have one panel of it, at most.
std::size_t most_pieces_of_panel(const product_cut& cut) {
  const planned_product forward = cut.of(product_pass::forward);
  std::vector<std::size_t> pieces(cut.y_order().columns.parts);
  for (const mapped_interval& i : where_made(forward.shape, forward.plan))
    for_each_block(cut.y_order(), i.begin, i.end, [&](std::size_t, std::size_t, std::size_t panel) { ++pieces[panel]; });
  return *std::max_element(pieces.begin(), pieces.end());
}

void check(const std::vector<bounded_product>& all, std::size_t samples, bytes memory = 383'385_B) {
  std::vector<product_cut> cuts = cut_together(all, samples, memory);
  for (std::size_t turns = 2; cuts.empty() && turns <= most_turns_of_rows; turns *= 2) cuts = cut_together(all, samples, memory, turns);
  REQUIRE(cuts.size() == all.size());
  std::vector<product_bound> bounds(all.size());
  product_memo{}.bound({mk2, samples, memory}, all.data(), all.size(), bounds.data());
  for (std::size_t p = 0; p < all.size(); ++p) {
    std::uint64_t held = 0;
    for (const product_pass pass : {product_pass::forward, product_pass::to_inputs, product_pass::to_weights}) {
      const planned_product planned = cuts[p].of(pass);
      held = std::max<std::uint64_t>(held, estimated(mk2, planned.shape, planned.plan).temporary.value);
    }
    CHECK(held <= bounds[p].passes.temporary);
    CHECK(bounds[p].passes.temporary <= 2 * held);  // squares may be turned round
    const std::size_t k = divided_up(divided_up(all[p].sizes.inputs, 16), cuts[p].input_parts) * 16;
    const std::size_t n = divided_up(divided_up(all[p].sizes.outputs, 16), cuts[p].output_parts) * 16;
    const std::size_t m = divided_up(all[p].sizes.rows, cuts[p].all_row_parts());
    CHECK(ipu::impl::largest_share(k * n, cuts[p].row_parts) <= bounds[p].weights);
    CHECK(ipu::impl::largest_share(m * n, cuts[p].input_parts) * cuts[p].turns <= bounds[p].made);
    CHECK(ipu::impl::largest_share(m * k, cuts[p].output_parts) * cuts[p].turns <= bounds[p].slopes);
    CHECK(cuts[p].turns <= bounds[p].turns);
    if (cuts[p].turns == 1) CHECK(most_pieces_of_panel(cuts[p]) <= bounds[p].panel);
  }
}

TEST_CASE("one product holds no more than its bound") {
  for (const std::size_t samples : {1u, 8u, 64u, 1000u}) {
    check({{{samples, 320, 256, amp_precision::half_float}, {1, 1, 1}}}, samples);
    check({{{samples, 256, 10, amp_precision::float_float}, {1, 1, 1}}}, samples);
  }
  check({{{256, 512, 1024, amp_precision::half_float}, {1, 1, 1}}}, 2);
}

TEST_CASE("those that fit no share are done in turns of rows, as few as fit") {
  for (const std::size_t samples : {8u, 32u}) {
    const bounded_product wide{{samples * 128, 768, 3072, amp_precision::half_half}, {1, 1, 1}}, square{{samples * 128, 768, 768, amp_precision::half_half}, {1, 1, 1}};
    for (const bytes share : {samples == 8 ? 75'000_B : 160'000_B, samples == 8 ? 50'000_B : 110'000_B}) {
      CHECK(cut_together({wide, square}, samples, share).empty());
      check({wide, square}, samples, share);
    }
    CHECK(!cut_together({wide, square}, samples, samples == 8 ? 75'000_B : 160'000_B, 2).empty());
  }
}

TEST_CASE("products that are cut together, too") {
  for (const std::size_t samples : {8u, 64u, 512u}) {
    check({{{samples, 320, 256, amp_precision::half_float}, {1, 1, 1}},
           {{samples, 256, 64, amp_precision::half_float}, {1, 1, 1}},
           {{samples, 64, 10, amp_precision::half_float}, {1, 1, 1}}},
          samples);
  }
  check({{{561, 65, 129, amp_precision::half_float}, {1, 0, 1}}, {{561, 129, 65, amp_precision::half_float}, {1, 1, 1}}}, 17);
}

}  // namespace product_bound_test
