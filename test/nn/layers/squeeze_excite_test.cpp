// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"
#include "stage_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/squeeze_excite.hpp>

#include <cmath>
#include <type_traits>

namespace squeeze_excite_test {

using namespace nn_test;

namespace {

using scale = nn::scale_channels_t;
static_assert(layer_for<scale, tensor<float, 3>, tensor<float, 3, 2, 2>>);
static_assert(!layer_for<scale, tensor<float, 2>, tensor<float, 3, 2, 2>> && !layer_for<scale, tensor<float, 3, 2, 2>, tensor<float, 3>> &&
              !layer_for<scale, tensor<half, 3>, tensor<float, 3, 2, 2>>);

/// Both gradients of the scaling reach weights: those of the convolution through the features and through the gates.
constexpr auto network = single_stage(input<float, 2, 4, 3>, per_sample<"goal", tensor<float, 3, 4, 3>>,
    block<"A">(nn::conv2d<3, 3, 1, 1>, nn::squeeze_excite<"A channels", 3, 2>(), use<"goal">(nn::mean_squared_error)));
using program = nn::stage_program<decltype(network), 0, double>;
static_assert(program::parameter_count == 3 * 2 * 9 + 3 + (3 * 2 + 2) + (2 * 3 + 3));
static_assert(std::is_same_v<decltype(nn::squeeze_excite<"x", 8, 2>(nn::relu)),
                             decltype(ops(keep<"x">, nn::global_average_pool, nn::linear<2>, nn::relu, nn::linear<8>, nn::sigmoid,
                                          use<"x">(nn::scale_channels)))>);

}  // namespace

TEST_CASE("Every channel times its factor; each gradient is given where it is wanted") {
  using features = shape<2, 3, 2>;
  owned<double, shape<2>> factors{3}, d_factors{3};
  owned<double, features> x{3}, y{3}, d_y{3}, d_x{3};
  factors.randomise(1);
  x.randomise(2);
  d_y.randomise(3);
  using in = nn::in<shape<2>, features>;
  using out = nn::out<features>;
  nn::impl::run_forward(nn::scale_channels, nn::forward_pass<double, in, out>{{factors.read(), x.read()}, {y.view()}});
  const auto backward = [&](nn::batch<double, shape<2>> to_factors, nn::batch<double, features> to_x) {
    nn::impl::run_backward_inputs(nn::scale_channels, nn::inputs_pass<double, in, out>{
                                      {factors.read(), x.read()}, {y.read()}, {d_y.read()}, {to_factors, to_x}});
  };
  backward(d_factors.view(), {});
  backward({}, d_x.view());
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (std::size_t e = 6 * c; e < 6 * c + 6; ++e) {
        CHECK(y.get(s, e) == factors.get(s, c) * x.get(s, e));
        CHECK(d_x.get(s, e) == factors.get(s, c) * d_y.get(s, e));
        sum += x.get(s, e) * d_y.get(s, e);
      }
      CHECK(d_factors.get(s, c) == doctest::Approx(sum));
    }
  }
}

TEST_CASE("Squeeze and excitation: gradients of all weights against finite differences") {
  pipeline_run<std::remove_const_t<decltype(network)>> run{nn::lane_count + 2};
  auto& stage = run.stage<0>();
  const auto fill = [&](auto view, std::uint64_t stream) {
    for (std::size_t i = 0; i < view.size(); ++i) view[i] = nn::lanes<double>::all(noise(stream, i));
  };
  fill(stage.program.input<0>(stage.memory), 1);
  fill(stage.program.input<1>(stage.memory), 2);
  const auto total = [&] {
    run.forward();
    double sum = 0;
    const auto losses = stage.program.output<1>(stage.memory);
    for (std::size_t s = 0; s < run.samples; ++s) sum += losses[s / nn::lane_count][s % nn::lane_count];
    return sum;
  };
  total();
  run.backward(false);
  for (std::size_t i = 0; i < stage.values.size(); ++i) {
    const double before = stage.values[i];
    stage.values[i] = before + 1e-5;
    const double above = total();
    stage.values[i] = before - 1e-5;
    const double below = total();
    stage.values[i] = before;
    CHECK(stage.d_values[i] == doctest::Approx((above - below) / 2e-5).epsilon(1e-6).scale(1));
  }
}

}  // namespace squeeze_excite_test
