// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/bounds/layer_bounds.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace layer_bounds_test {

using namespace ipuflow;

constexpr nn::bound_question q{.samples = 16, .parameters = ipu::element_type::f16};
using image = tensor<half, 3, 32, 32>;
using row = tensor<half, 64>;

template <class In, class Out>
constexpr nn::layer_bound bound(auto layer, In in, Out out) {
  return bound_on_tiles(layer, in, out, q);
}

TEST_CASE("a product says its sizes, and leaves its passes to the stage") {
  constexpr nn::layer_bound b = bound(nn::linear<10>, nn::in<row>{}, nn::out<tensor<half, 10>>{});
  static_assert(b.is_product() && b.product.inputs == 64 && b.product.outputs == 10 && b.product.rows == 1);
  constexpr nn::layer_bound of_positions = bound(nn::linear<10>, nn::in<tensor<half, 5, 64>>{}, nn::out<tensor<half, 5, 10>>{});
  CHECK(of_positions.product.rows == 5);
}

TEST_CASE("activations have what is spread, a flattened value nothing, nor have checkpoints and casts to the same type") {
  CHECK(bound(nn::checkpoint, nn::in<image>{}, nn::out<image>{}).forward == nn::pass_bound{});
  CHECK(bound(nn::cast<half>, nn::in<image>{}, nn::out<image>{}).forward == nn::pass_bound{});
  CHECK(bound(nn::cast<float>, nn::in<row>{}, nn::out<tensor<float, 64>>{}).code.size() == 1);
  CHECK(bound(nn::relu, nn::in<row>{}, nn::out<row>{}).forward.temporary == 128);
  CHECK(bound(nn::flatten, nn::in<image>{}, nn::out<tensor<half, 3072>>{}) .forward == nn::pass_bound{});
}

TEST_CASE("kinds of activations have code of their own, one kind has it once") {
  const auto relu = bound(nn::relu, nn::in<row>{}, nn::out<row>{}), tanh = bound(nn::tanh, nn::in<row>{}, nn::out<row>{});
  CHECK(relu.code[0].name != tanh.code[0].name);
  CHECK(relu.code[1] == tanh.code[1]);
}

TEST_CASE("norms, losses, sums and dropout are known") {
  using loss = tensor<float>;
  CHECK(bound(nn::layer_norm, nn::in<row>{}, nn::out<row>{}).is_known);
  CHECK(bound(nn::batch_norm, nn::in<image>{}, nn::out<image>{}).is_known);
  CHECK(bound(nn::group_norm<3>, nn::in<image>{}, nn::out<image>{}).is_known);
  CHECK(bound(nn::dropout<0.5>, nn::in<row>{}, nn::out<row>{}).is_known);
  CHECK(bound(nn::add, nn::in<row, row>{}, nn::out<row>{}).is_known);
  CHECK(bound(nn::cross_entropy, nn::in<row, std::int32_t>{}, nn::out<row, loss>{}).forward.temporary == 64 * 2 + 2 * 4);
  CHECK(bound(nn::mean_squared_error, nn::in<row, row>{}, nn::out<row, loss>{}).forward.temporary == 2 * 64 * 2 + 4);
}

}  // namespace layer_bounds_test
