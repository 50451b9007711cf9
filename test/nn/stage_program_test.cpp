// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"
#include "stage_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/nn/activation_kernels.hpp>
#include <ipuflow/nn/batch_norm_kernels.hpp>
#include <ipuflow/nn/conv2d_kernels.hpp>
#include <ipuflow/nn/dropout.hpp>
#include <ipuflow/nn/flatten.hpp>
#include <ipuflow/nn/linear_kernels.hpp>
#include <ipuflow/nn/loss_kernels.hpp>
#include <ipuflow/nn/pool_kernels.hpp>
#include <ipuflow/nn/residual.hpp>

using namespace nn_test;

namespace {

constexpr auto small = pipeline(input<float, 1, 8, 8>, per_sample<"label", std::uint8_t>,
                                stage(block<"B1">(nn::conv2d<3, 3>, nn::max_pool<2>, nn::relu)).ipu<0>(),
                                stage(block<"B2">(nn::conv2d<4, 2>, nn::batch_norm, nn::tanh)).ipu<1>(),
                                stage(block<"B3">(nn::flatten, nn::linear<9>, nn::dropout<0.25>, nn::relu)).ipu<2>(),
                                stage(block<"B4">(nn::linear<5>, use<"label">(nn::cross_entropy))).ipu<3>());

/// A value that is read twice in its stage, one that passes through a stage, one that leaves as it came.
constexpr auto residual = pipeline(
    input<float, 6>, per_sample<"label", std::uint8_t>, per_sample<"more", tensor<float, 6>>,
    stage(block<"A">(nn::linear<6>, keep<"skip">, nn::tanh, use<"skip">(nn::add), use<"more">(nn::add))).ipu<0>(),
    stage(block<"B">(keep<"far">, nn::linear<6>, nn::relu)).ipu<1>(),
    stage(block<"C">(use<"far">(nn::add), use<"skip">(nn::add), nn::linear<4>)).ipu<2>(),
    stage(block<"D">(use<"label">(nn::cross_entropy))).ipu<3>());

constexpr auto branched = pipeline(
    input<float, 5>, per_sample<"goal", tensor<float, 3>>, stage(block<"in">(nn::linear<4>, nn::tanh)).ipu<0>(),
    concurrent(stage(block<"left">(nn::linear<3>)).ipu<1>(), stage(block<"right">(nn::tanh, nn::linear<3>)).ipu<2>()),
    stage(block<"out">(nn::add, use<"goal">(nn::mean_squared_error))).ipu<3>());

template <class P, class T>
void feed(pipeline_run<P, T>& run) {
  auto& first = run.template stage<0>();
  const auto fill = [&](auto view, std::uint64_t stream) {
    using element = typename decltype(view)::lane_type::value_type;
    for (std::size_t s = 0; s < run.samples; ++s) {
      for (std::size_t e = 0; e < view.elements; ++e) {
        const double value = noise(stream, s * view.elements + e);
        auto& lanes = view.group(s / nn::lane_count)[e];
        if constexpr (std::is_integral_v<element>) {
          lanes.set(s % nn::lane_count, static_cast<element>(1 + value * value * 3));
        } else {
          lanes.set(s % nn::lane_count, nn::number<element>(value));
        }
      }
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (fill(first.program.template input<I>(first.memory), I), ...);
  }(std::make_index_sequence<nn::stage_program<P, 0, T>::plan.entering>{});
}

template <class P, class T>
double loss(pipeline_run<P, T>& run) {
  run.forward();
  auto& end = run.template stage<pipeline_run<P, T>::last>();
  const auto of_sample = end.program.template output<1>(end.memory);
  double sum = 0;
  for (std::size_t s = 0; s < run.samples; ++s)
    sum += static_cast<double>(of_sample.data[s / nn::lane_count][s % nn::lane_count]);
  return sum;
}

template <class P, class Visit>
void each_stage(pipeline_run<P>& run, Visit visit) {
  std::apply([&](auto&... stage) { (visit(stage), ...); }, run.stages);
}

template <class P>
void check_weights(const P&, std::size_t stride) {
  pipeline_run<P> run{nn::lane_count + 2};
  feed(run);
  run.forward();
  run.backward(false);
  each_stage(run, [&](auto& stage) {
    for (std::size_t i = 0; i < stage.values.size(); i += stride) {
      const double before = stage.values[i], step = 1e-5;
      stage.values[i] = before + step;
      const double above = loss(run);
      stage.values[i] = before - step;
      const double below = loss(run);
      stage.values[i] = before;
      CHECK(stage.d_values[i] == doctest::Approx((above - below) / (2 * step)).epsilon(1e-5).scale(1));
    }
  });
}

/// All gradients and outputs, whatever the stages.
template <class P>
std::vector<double> numbers(const P&, bool split) {
  pipeline_run<P> run{nn::lane_count + 2};
  feed(run);
  std::vector<double> all{loss(run)};
  run.backward(split);
  each_stage(run, [&](auto& stage) { all.insert(all.end(), stage.d_values.begin(), stage.d_values.end()); });
  return all;
}

}  // namespace

TEST_CASE("The gradient of a pipeline's loss for every weight, stage by stage") { check_weights(small, 3); }

TEST_CASE("Gradients meet where a value is read twice, kept for a later stage or taken by two branches") {
  check_weights(residual, 1);
  check_weights(branched, 1);
}

TEST_CASE("Splitting the backward pass changes nothing, bit for bit") {
  CHECK(numbers(small, true) == numbers(small, false));
  CHECK(numbers(residual, true) == numbers(residual, false));
  CHECK(numbers(branched, true) == numbers(branched, false));
}

TEST_CASE("Grouping blocks into other stages changes nothing, bit for bit: weights, masks and sums stay") {
  constexpr auto halves = regroup(small, stage<"B1", "B2">().ipu<0>(), stage<"B3", "B4">().ipu<1>());
  CHECK(numbers(halves, true) == numbers(small, false));
  constexpr auto uneven = regroup(residual, stage<"A">().ipu<0>(), stage<"B", "C", "D">().ipu<1>());
  CHECK(numbers(uneven, false) == numbers(residual, true));
}

TEST_CASE("Tensors of halves hold halves wherever a layer ends, forward and back, and the numbers are about the same") {
  constexpr auto coarse =
      pipeline(input<half, 6>, per_sample<"label", std::uint8_t>, stage(block<"A">(nn::linear<8>, nn::tanh)),
               stage(block<"B">(nn::linear<5>, use<"label">(nn::cross_entropy))));
  constexpr auto fine =
      pipeline(input<float, 6>, per_sample<"label", std::uint8_t>, stage(block<"A">(nn::linear<8>, nn::tanh)),
               stage(block<"B">(nn::linear<5>, use<"label">(nn::cross_entropy))));
  pipeline_run<std::remove_const_t<decltype(coarse)>, float> halves{3};
  pipeline_run<std::remove_const_t<decltype(fine)>, float> floats{3};
  feed(halves);
  feed(floats);
  const double exact = loss(floats);
  CHECK(loss(halves) == doctest::Approx(exact).epsilon(1e-2));
  CHECK(loss(halves) != exact);
  halves.backward(true);
  auto& first = halves.stage<0>();
  const auto leaves = first.program.output<0>(first.memory);
  const auto back = first.program.gradient<decltype(first.program)::plan.leaving[0]>(first.memory);
  for (std::size_t e = 0; e < 8; ++e) {
    CHECK(static_cast<float>(half{leaves.data[e][1]}) == leaves.data[e][1]);
    CHECK(static_cast<float>(half{back.data[e][1]}) == back.data[e][1]);
  }

  pipeline_run<std::remove_const_t<decltype(coarse)>, half> all_half{3};  // partial sums are halves too
  feed(all_half);
  CHECK(loss(all_half) == doctest::Approx(exact).epsilon(3e-2));
}

TEST_CASE("A layer that is run group by group knows which group it has: masks of samples differ") {
  constexpr auto drops = single_stage(input<float, 40>, block<"A">(nn::dropout<0.5>));
  pipeline_run<std::remove_const_t<decltype(drops)>, float> run{nn::lane_count + 1};
  auto& stage = run.stage<0>();
  const auto in = stage.program.input<0>(stage.memory), out = stage.program.output<0>(stage.memory);
  for (std::size_t i = 0; i < 2 * 40; ++i) in.data[i] = nn::lanes<float>::all(1);
  run.forward();
  std::size_t different = 0;
  for (std::size_t e = 0; e < 40; ++e) different += out.group(0)[e][0] != out.group(1)[e][0];
  CHECK(different > 5);
}
