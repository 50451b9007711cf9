// SPDX-License-Identifier: BSL-1.0
// The extent of a pooled tensor. Oracle: count whole squares.
#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/pool.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

namespace pool_test {

using namespace ipuflow;

namespace {

template <std::size_t Size>
using pool = std::remove_const_t<decltype(nn::max_pool<Size>)>;

template <std::size_t Size, std::size_t H, std::size_t W>
void halves_and_so_on() {
  using in = tensor<float, 3, H, W>;
  if constexpr (H >= Size && W >= Size) {
    using out = decltype(output_of(nn::max_pool<Size>, in{}));
    CHECK(out::extent(0) == 3);
    CHECK(out::extent(1) * Size <= H);
    CHECK((out::extent(1) + 1) * Size > H);
    CHECK(out::extent(2) * Size <= W);
    CHECK((out::extent(2) + 1) * Size > W);
  } else {
    CHECK_FALSE(layer_for<pool<Size>, in>);
  }
}
template <std::size_t Size, std::size_t... H>
void for_extents(std::index_sequence<H...>) {
  (halves_and_so_on<Size, H + 1, 16 - H>(), ...);
}

static_assert(std::is_same_v<decltype(output_of(nn::max_pool<2>, tensor<half, 10, 24, 24>{})), tensor<half, 10, 12, 12>>);
static_assert(!layer_for<pool<2>, tensor<float, 24, 24>>);

}  // namespace

TEST_CASE("every whole square becomes one pixel") {
  for_extents<1>(std::make_index_sequence<16>{});
  for_extents<2>(std::make_index_sequence<16>{});
  for_extents<3>(std::make_index_sequence<16>{});
  for_extents<8>(std::make_index_sequence<16>{});
}

}  // namespace pool_test
