// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/simd/register_block.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

namespace register_block_test {

using namespace ipuflow;

/// Whatever is to be covered, a block fits into the registers and is no larger than that.
constexpr bool fits(std::size_t unit) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{7}, std::size_t{64}}) {
    for (std::size_t columns = unit; columns < 40; columns += 5 * unit) {
      const nn::impl::register_block_size size = nn::impl::best_register_block(rows, columns, unit);
      if (size.rows < 1 || size.rows > rows || size.columns > columns || size.columns % unit != 0) return false;
      if (size.rows * size.columns > nn::impl::accumulator_count && size.rows > 1) return false;
    }
  }
  return true;
}
static_assert(fits(1));
static_assert(fits(3));

TEST_CASE("no block within the registers covers an area faster than the best one") {
  for (std::size_t rows = 1; rows <= 9; ++rows) {
    for (std::size_t columns = 1; columns <= 9; ++columns) {
      const nn::impl::register_block_size best = nn::impl::best_register_block(rows, columns);
      CHECK(best.rows * best.columns <= nn::impl::accumulator_count);
      const std::size_t least = nn::detail::cover_cost(rows, columns, best);
      for (std::size_t r = 1; r <= rows; ++r) {
        for (std::size_t c = 1; c <= columns && r * c <= nn::impl::accumulator_count; ++c) {
          CHECK(least <= nn::detail::cover_cost(rows, columns, {r, c}));
        }
      }
    }
  }
}

TEST_CASE("A block adds products of weights and lanes to its biases, and can be put down and taken up") {
  nn::impl::register_block<float, 2, 3> block;
  const float bias[] = {1, 2}, weights[] = {10, 0, 20};
  nn::lanes<float> in[5]{}, out[12]{};
  for (std::size_t i = 0; i < 5; ++i) in[i] = nn::lanes<float>::all(static_cast<float>(i));
  block.start(bias);
  block.multiply_add<2, 2>(weights, in);  // rows see weights 0 and 2, columns see lanes 0, 2 and 4
  block.store<6, 1>(out);
  CHECK(out[0][0] == 1);
  CHECK(out[2][0] == 41);
  CHECK(out[6][0] == 2);
  CHECK(out[8][0] == 82);
  nn::impl::register_block<float, 2, 3> again;
  again.load<6, 1>(out);
  again.multiply_add<2, 2>(weights, in);
  again.store<6, 1>(out);
  CHECK(out[8][0] == 162);
  again.start(nullptr);
  again.store<6, 1>(out);
  CHECK(out[8][0] == 0);
}

TEST_CASE("Sums are added to numbers, those of a row beside each other") {
  constexpr std::size_t row = 3 * nn::lane_count;
  nn::impl::register_block<float, 2, 2> block;
  for (std::size_t i = 0; i < 4; ++i) block.sums[i] = nn::lanes<float>::all(static_cast<float>(i + 1));
  float numbers[2 * row];
  for (float& number : numbers) number = 10;
  block.add_to_numbers<row>(numbers);
  for (std::size_t i = 0; i < 2 * row; ++i) {
    const std::size_t column = i % row / nn::lane_count;
    CHECK(numbers[i] == (column == 2 ? 10 : 11 + static_cast<float>(2 * (i / row) + column)));
  }
}

}  // namespace register_block_test
