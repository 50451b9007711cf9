// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>

namespace half_lanes_test {

using namespace nn_test;

namespace {

/// A layer in half gives about what it gives in double, within some hundredths.
template <class Layer, class In>
void check(Layer, In) {
  bench<half, Layer, In> coarse{nn::lane_count + 1};
  bench<double, Layer, In> fine{nn::lane_count + 1};
  coarse.forward();
  fine.forward();
  coarse.backward();
  fine.backward();
  const auto close = [](half a, double b) {
    REQUIRE(static_cast<double>(a) == doctest::Approx(b).epsilon(0.03).scale(1));
  };
  for (std::size_t s = 0; s < coarse.x.samples; ++s) {
    for (std::size_t e = 0; e < fine.y.view().elements; ++e) close(coarse.y.get(s, e), fine.y.get(s, e));
    for (std::size_t e = 0; e < In::elements; ++e) close(coarse.d_x.get(s, e), fine.d_x.get(s, e));
  }
  for (std::size_t i = 0; i < fine.values.size(); ++i) close(coarse.d_values[i], fine.d_values[i]);
}

}  // namespace

TEST_CASE("Every operation is rounded: a sum of small numbers stops growing") {
  auto sum = nn::lanes<half>::all(half{2048});
  for (int i = 0; i < 10; ++i) sum += nn::lanes<half>::all(half{1});
  CHECK(sum[0] == 2048);
}

TEST_CASE("Halves are wide floats, which come back rounded") {
  const auto third = nn::impl::narrowed<half>(nn::lanes<float>::all(1 / 3.0f));
  CHECK(third[1] == half{1 / 3.0f});
  CHECK(nn::impl::widened(third)[2] == static_cast<float>(half{1 / 3.0f}));
  CHECK(nn::impl::narrowed<double>(nn::impl::widened(nn::lanes<double>::all(0.1)))[0] == 0.1);
}

TEST_CASE("Layers compute in half") {
  check(nn::conv2d<2, 3, 1, 1>, tensor<half, 2, 4, 4>{});
  check(nn::linear<5>, tensor<half, 9>{});
  check(nn::average_pool<2>, tensor<half, 1, 4, 4>{});
  check(nn::relu, tensor<half, 7>{});
  check(nn::gelu, tensor<half, 7>{});
  check(nn::layer_norm, tensor<half, 7>{});
  check(nn::batch_norm, tensor<half, 3>{});
  check(nn::dropout<0.5>, tensor<half, 3>{});
  check(nn::softmax, tensor<half, 3>{});
}

}  // namespace half_lanes_test
