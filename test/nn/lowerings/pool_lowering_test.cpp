// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/lowerings/pool_lowering.hpp>

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace pool_lowering_test {

using namespace nn_test;

TEST_CASE("Pooling on tiles is the host's, forward and back: squares apart, overlapping, over the edge") {
  check_lowering(nn::max_pool<2>, tensor<float, 3, 6, 8>{});
  check_lowering(nn::max_pool<3, 2, 1>, tensor<float, 2, 7, 6>{});
  check_lowering(nn::max_pool<3, 1, 1>, tensor<float, 1, 5, 5>{});
  check_lowering(nn::average_pool<2>, tensor<float, 3, 6, 8>{});
  check_lowering(nn::average_pool<3, 2, 1>, tensor<float, 2, 7, 6>{});
}

/// Of numbers given, host and tiles make the same, forward and back.
template <class E, class Layer, class In>
void check_given(Layer, In, const std::vector<float>& numbers) {
  using host_type = bench<E, Layer, In>;
  host_type host{numbers.size() / In::elements};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    host.x.set(i / In::elements, i % In::elements, nn::number<E>(static_cast<double>(numbers[i])));
  host.forward();
  host.backward();
  tile_bench t;
  t.l.samples = host.x.samples;
  const auto x = t.value<E, typename host_type::in_shape>(), d_x = t.value<E, typename host_type::in_shape>();
  const auto y = t.value<E, typename host_type::out_shape>(), d_y = t.value<E, typename host_type::out_shape>();
  using in = nn::in<In>;
  using out = nn::out<decltype(output_of(Layer{}, In{}))>;
  const ipu::step program =
      ipu::sequence(lower_forward(Layer{}, nn::forward_lowering<in, out>{t.l, {x}, {y}}),
                    lower_backward_inputs(Layer{}, nn::inputs_lowering<in, out>{t.l, {x}, {y}, {d_y}, {d_x}}));
  run_on_tiles(t, program, {{x.variable, samples_of(host.x)}, {d_y.variable, samples_of(host.d_y)}}, [&](ipu::engine& runs) {
    const std::vector<float> made = samples_of(host.y), on_tiles = read(runs, t.g, y.variable);
    for (std::size_t i = 0; i < made.size(); ++i) {
      CAPTURE(i);
      CHECK((made[i] == on_tiles[i] || (std::isnan(made[i]) && std::isnan(on_tiles[i]))));
    }
    CHECK(farthest(read(runs, t.g, d_x.variable), samples_of(host.d_x)) < 1e-3);
  });
}

TEST_CASE_TEMPLATE("Pooling on tiles is the host's where squares have no numbers, infinite ones, or both", E, float, half) {
  std::vector<float> numbers;  // all that four places may hold of four
  constexpr float of[]{NAN, -INFINITY, -1, INFINITY};
  for (std::size_t square = 0; square < 256; ++square) {
    for (std::size_t place = 0; place < 4; ++place) numbers.push_back(of[square >> 2 * place & 3]);
  }
  check_given<E>(nn::max_pool<2>, tensor<E, 1, 2, 2>{}, numbers);
  check_given<E>(nn::max_pool<2>, tensor<E, 2, 4, 4>{}, numbers);
  check_given<E>(nn::max_pool<3, 2, 1>, tensor<E, 1, 4, 4>{}, numbers);
  bench<E, std::remove_const_t<decltype(nn::max_pool<2>)>, tensor<E, 1, 2, 2>> host{256};
  for (std::size_t i = 0; i < numbers.size(); ++i) host.x.set(i / 4, i % 4, nn::number<E>(static_cast<double>(numbers[i])));
  host.forward();
  for (std::size_t square = 0; square < 256; ++square) {
    float most = NAN;
    for (std::size_t i = 4 * square; i < 4 * square + 4; ++i) most = std::fmax(most, numbers[i]);
    const auto made = static_cast<float>(host.y.get(square, 0));
    CHECK((made == most || (std::isnan(made) && std::isnan(most))));
  }
}

TEST_CASE("By hand: two planes of 4 x 4 on a tile each") {
  // The second plane's 16 numbers are sent to its tile, and its 4 results back; the first's 64 and 16 bytes are copied within theirs. A
  // worker has 2 of the 8 vectors that windows cover, two bundles each, and one result, three.
  constexpr std::uint64_t in = 288 + 6 * 2, pool = 11 + 6 * (30 + 2 * 2 + 3);
  CHECK(count_forward(nn::max_pool<2>, tensor<float, 2, 4, 4>{}, 1) ==
        counted{.compute = in + pool + local_copy, .exchange = latency + 16 + latency + 4, .vertices = 2});
}

}  // namespace pool_lowering_test
