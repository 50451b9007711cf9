// SPDX-License-Identifier: BSL-1.0
// Flattening keeps elements and bytes and leaves one axis; doing it twice is doing it once.
#include <ipuflow/graph/op.hpp>
#include <ipuflow/nn/layers/flatten.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace flatten_test {

using namespace ipuflow;

namespace {

template <class Tensor>
void is_one_axis() {
  using flat = decltype(output_of(nn::flatten, Tensor{}));
  static_assert(flat::rank == 1);
  CHECK(flat::extent(0) == Tensor::elements);
  CHECK(bytes_of<flat> == bytes_of<Tensor>);
  CHECK(std::is_same_v<decltype(output_of(nn::flatten, flat{})), flat>);
  CHECK(std::is_same_v<typename flat::element_type, typename Tensor::element_type>);
}

static_assert(!layer_for<nn::flatten_t, int>);

}  // namespace

TEST_CASE("as many elements in one axis") {
  is_one_axis<tensor<float>>();
  is_one_axis<tensor<half, 7>>();
  is_one_axis<tensor<float, 20, 4, 4>>();
  is_one_axis<tensor<double, 2, 3, 5, 7>>();
  is_one_axis<tensor<float, 2, 0>>();
}

}  // namespace flatten_test
