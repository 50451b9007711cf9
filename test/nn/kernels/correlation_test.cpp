// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/kernels/correlation.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace correlation_test {

using namespace ipuflow;

namespace {

constexpr nn::impl::correlation row{.outputs = 1,
                              .inputs = 1,
                              .window_height = 1,
                              .window_width = 3,
                              .in_height = 1,
                              .in_width = 6,
                              .out_height = 1,
                              .out_width = 6,
                              .in_left = -1,
                              .out_plane = 6,
                              .out_row = 6,
                              .weight_output = 3,
                              .weight_input = 3,
                              .weight_row = 3,
                              .weight_column = 1};
static_assert(row.first_inside() == 1 && row.last_inside() == 5);
static_assert(!row.is_empty());
static_assert(nn::impl::correlation{}.is_empty());

constexpr nn::impl::window_range over = nn::impl::clipped(-2, 5, 2);
static_assert(over.first == 2 && over.last == 4);

/// No position has its whole window inside.
constexpr nn::impl::correlation wide{.window_width = 5, .in_width = 3, .out_width = 3, .in_left = -1};
static_assert(wide.first_inside() == wide.last_inside());

}  // namespace

TEST_CASE("Windows that hang over an edge see what is inside") {
  const float weights[] = {1, 10, 100};
  nn::lanes<float> in[6], out[6];
  for (std::size_t i = 0; i < 6; ++i) in[i] = nn::lanes<float>::all(static_cast<float>(i + 1));
  nn::impl::correlator<row, float>::run(weights, nullptr, in, out);
  const float expected[] = {210, 321, 432, 543, 654, 65};
  for (std::size_t i = 0; i < 6; ++i) CHECK(out[i][0] == expected[i]);
}

}  // namespace correlation_test
