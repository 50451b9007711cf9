// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/bias_lowering.hpp>

namespace bias_lowering_test {

using namespace nn_test;

TEST_CASE_TEMPLATE("Every place of a channel gets its bias, and gives it its gradient, wherever tiles cut", E, float,
                   half) {
  for (const std::size_t plane : {1u, 3u, 50u}) {
    for (const std::size_t channels : {1u, 4u, 90u}) {
      tile_bench t;
      t.l.samples = 5;
      const std::size_t elements = t.l.samples * channels * plane;
      const ipu::variable_id y = t.variable(ipu::element_type_of<E>(), elements);
      t.l.numbers.biases = t.variable(ipu::element_type::f32, channels);
      t.l.numbers.d_biases = t.variable(ipu::element_type::f32, channels);
      std::vector<float> wanted(elements), biases(channels), sums(channels, 2.0f);
      for (std::size_t c = 0; c < channels; ++c) biases[c] = static_cast<float>(c);
      for (std::size_t i = 0; i < elements; ++i) {
        wanted[i] = static_cast<float>(1 + i / plane % channels);
        sums[i / plane % channels] += wanted[i];
      }
      run_on_tiles(t, ipu::sequence(nn::impl::add_bias(t.l, y, plane), nn::impl::add_bias_gradient(t.l, y, plane)),
                   {{y, std::vector<float>(elements, 1)},
                    {t.l.numbers.biases, biases},
                    {t.l.numbers.d_biases, std::vector<float>(channels, 2)}},
                   [&](ipu::engine& e) {
                     CHECK(read(e, t.g, y) == wanted);
                     CHECK(read(e, t.g, t.l.numbers.d_biases) == sums);
                   });
    }
  }
}

TEST_CASE("By hand: two channels of 32 places on a tile each") {
  // The second bias is sent to its tile, the first copied within its own; a worker has 3 vectors of 3 bundles, in place.
  tile_bench t;
  const ipu::variable_id y = t.variable(ipu::element_type::f32, 2 * 32);
  t.l.numbers.biases = t.variable(ipu::element_type::f32, 2);
  CHECK(count(t, nn::impl::add_bias(t.l, y, 32)) ==
        counted{.compute = 11 + 6 * (58 + 3 * 3) + local_copy, .exchange = latency + 1, .vertices = 2});
}

}  // namespace bias_lowering_test
