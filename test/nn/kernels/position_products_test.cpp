// SPDX-License-Identifier: BSL-1.0
// Products of positions against loops over single numbers, for matrices of less than a block, of whole blocks, and of more.
#include "../layer_check.hpp"

#include <ipuflow/nn/kernels/position_products.hpp>

#include <cstddef>
#include <vector>

namespace position_products_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

/// A matrix whose rows are positions, behind which lanes are zero.
template <class W>
struct matrix {
  std::size_t rows, columns;
  std::vector<nn::lanes<W>> data{};

  matrix(std::size_t r, std::size_t c, std::uint64_t stream) : rows{r}, columns{c}, data(nn::groups_for(r) * c) {
    for (std::size_t i = 0; i < r * c; ++i) place(i / c, i % c).set(i / c % nn::lane_count, static_cast<W>(noise(stream, i)));
  }
  nn::lanes<W>& place(std::size_t row, std::size_t column) { return data[row / nn::lane_count * columns + column]; }
  W operator()(std::size_t row, std::size_t column) { return place(row, column)[row % nn::lane_count]; }
};

template <class W, std::size_t Rows, std::size_t Depth, std::size_t Columns>
void check_product(double tolerance) {
  matrix<W> left{Rows, Depth, 1}, right{Depth, Columns, 2}, turned{Columns, Depth, 3}, out{Rows, Columns, 4}, of_turned{Rows, Columns, 5};
  nn::impl::turn_positions<Depth, Columns>(right.data.data(), turned.data.data());
  nn::impl::position_product<W, Rows, Depth, Columns>::run(left.data.data(), right.data.data(), out.data.data());
  nn::impl::position_product<W, Rows, Depth, Columns>::run_turned(left.data.data(), turned.data.data(), of_turned.data.data());
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t c = 0; c < Columns; ++c) {
      double sum = 0;
      for (std::size_t d = 0; d < Depth; ++d) sum += static_cast<double>(left(r, d)) * static_cast<double>(right(d, c));
      REQUIRE(static_cast<double>(out(r, c)) == doctest::Approx(sum).epsilon(tolerance).scale(1));
      REQUIRE(of_turned(r, c) == out(r, c));
    }
  }
  for (std::size_t d = 0; d < Depth; ++d)
    for (std::size_t c = 0; c < Columns; ++c) REQUIRE(turned(c, d) == right(d, c));
}

}  // namespace

TEST_CASE("products of positions are those of matrices") {
  constexpr std::size_t lanes = nn::lane_count;
  check_product<double, 1, 1, 1>(1e-14);
  check_product<double, 3, lanes + 1, 5>(1e-14);
  check_product<float, lanes, 2 * lanes, lanes>(1e-5);
  check_product<float, 2 * lanes + 1, 7, 2 * lanes + 3>(1e-5);
  check_product<float, lanes + 2, lanes - 1, 1>(1e-5);
}

}  // namespace position_products_test
