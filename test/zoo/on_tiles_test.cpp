// SPDX-License-Identifier: BSL-1.0
// The blocks of the networks, small: their gradients against finite differences, and tiles against the host.
#include "../nn/tile_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>
#include <ipuflow/nn/lowerings/batch_norm_lowering.hpp>
#include <ipuflow/nn/lowerings/channel_lowering.hpp>
#include <ipuflow/nn/lowerings/conv2d_lowering.hpp>
#include <ipuflow/nn/lowerings/copy_lowering.hpp>
#include <ipuflow/nn/lowerings/dropout_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/loss_lowering.hpp>
#include <ipuflow/nn/lowerings/sample_norm_lowering.hpp>
#include <ipuflow/zoo/efficientnet.hpp>
#include <ipuflow/zoo/resnet.hpp>

#include <cstdint>
#include <type_traits>

namespace on_tiles_test {

using namespace nn_test;

namespace {

constexpr zoo::impl::residual_sizes wider{.layer = 1, .inner = 4, .outer = 6, .stride = 2, .projects = true};
constexpr zoo::impl::residual_sizes same{.layer = 1, .inner = 4, .outer = 6};

/// A bottleneck with a projection, in groups, and one without.
constexpr auto residual = pipeline(input<float, 3, 6, 5>, per_sample<"class", std::uint8_t>,
    stage(block<"A">(keep<"entered">, zoo::impl::normed<nn::batch_norm, 4, 1>, nn::relu,
                     zoo::impl::normed<nn::batch_norm, 4, 3, 2, 2>, nn::relu, zoo::impl::normed<nn::batch_norm, 6, 1>,
                     zoo::impl::residual_sum<wider, nn::batch_norm>(), nn::relu)),
    stage(block<"B">(keep<"entered">, zoo::impl::normed<nn::batch_norm, 6, 3>, zoo::impl::residual_sum<same, nn::batch_norm>(), nn::relu),
          block<"fc">(nn::global_average_pool, nn::linear<5>, use<"class">(nn::cross_entropy_of<{.smoothing = 0.1}>))));

constexpr zoo::impl::inverted_sizes wide{.kernel = 3, .stride = 2, .in = 3, .inner = 6, .groups = 6, .out = 4};
constexpr zoo::impl::inverted_sizes narrow{.kernel = 5, .stride = 1, .in = 4, .inner = 4, .groups = 2, .out = 4};

/// Depthwise convolutions with squeeze and excitation and an expansion, and those of groups with group norm.
constexpr auto inverted = pipeline(input<float, 3, 6, 5>, per_sample<"class", std::uint8_t>,
    stage(block<"A">(zoo::impl::inverted_convolutions<wide, nn::batch_norm>())),
    stage(block<"B">(keep<"B">, zoo::impl::inverted_convolutions<narrow, nn::group_norm<2>>(), use<"B">(nn::add)),
          block<"fc">(nn::global_average_pool, nn::linear<5>, use<"class">(nn::cross_entropy))));

/// All of a network in one stage, within the steps of constant evaluation that compilers take by default.
template <auto Network>
constexpr bool has_lowerings() {
  constexpr auto p = single_stage(input<half, 3, 380, 380>, per_sample<"class", std::int32_t>, Network, block<"loss">(use<"class">(nn::cross_entropy)));
  using whole = std::remove_const_t<decltype(p)>;
  using steps = nn::impl::steps_of_stage<whole, 0, nn::every_branch>;
  return !nn::impl::verify_lowerings<whole, nn::impl::step_types<steps>>(nn::planned<whole, 0, float, nn::every_branch>);
}
static_assert(has_lowerings<zoo::efficientnet_b4<>>());

template <class P>
void check_tiles(const P&, tile_order order) {
  constexpr std::size_t samples = 5, micro_batches = 2;
  const outcome host = on_host<P>(samples, micro_batches);
  const outcome tiles = on_tiles_of_chips<P>(samples, micro_batches, order);
  for (std::size_t i = 0; i < host.outputs.size(); ++i) CHECK(farthest(tiles.outputs[i], host.outputs[i]) < 1e-4);
  CHECK(farthest(tiles.gradients, host.gradients) < 1e-4);
  CHECK(farthest(tiles.state, host.state) < 1e-4);
}

/// Every third gradient of all weights against the difference of the sum of losses at two points.
template <class P>
void check_gradients_of(const P&) {
  pipeline_run<P> run{5};
  auto& first = run.template stage<0>();
  auto& last = run.template stage<1>();
  const auto image = first.program.template input<0>(first.memory);
  const auto labels = first.program.template input<1>(first.memory);
  for (std::size_t s = 0; s < run.samples; ++s) {
    labels.group(s / nn::lane_count)[0].set(s % nn::lane_count, static_cast<std::uint8_t>(s));
    for (std::size_t e = 0; e < image.elements; ++e)
      image.group(s / nn::lane_count)[e].set(s % nn::lane_count, noise(s, e));
  }
  const auto total = [&] {
    run.forward();
    const auto losses = last.program.template output<1>(last.memory);
    double sum = 0;
    for (std::size_t s = 0; s < run.samples; ++s) sum += losses[s / nn::lane_count][s % nn::lane_count];
    return sum;
  };
  total();
  run.backward(false);
  const auto check = [&](auto& stage) {
    for (std::size_t i = 0; i < stage.values.size(); i += 3) {
      const double before = stage.values[i];
      stage.values[i] = before + 1e-6;
      const double above = total();
      stage.values[i] = before - 1e-6;
      const double below = total();
      stage.values[i] = before;
      CHECK(stage.d_values[i] == doctest::Approx((above - below) / 2e-6).epsilon(1e-5).scale(1));
    }
  };
  check(first);
  check(last);
}

}  // namespace

TEST_CASE("Blocks of the networks: gradients are those of finite differences") {
  check_gradients_of(residual);
  check_gradients_of(inverted);
}

TEST_CASE("Blocks of the networks on tiles are the host's, also where passes wait and are split") {
  check_tiles(residual, {.waits = true});
  check_tiles(residual, {.waits = true, .recomputes = true, .splits = true});
  check_tiles(inverted, {.waits = true});
  check_tiles(inverted, {.waits = true, .recomputes = true, .splits = true});
}

}  // namespace on_tiles_test
