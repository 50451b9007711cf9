// SPDX-License-Identifier: BSL-1.0
// What tests of networks ask: the number of parameters, and what the host makes of made-up weights, statistics and images,
// which torch_values.py makes up likewise. Each block is a stage of its own.
#pragma once

#include "../nn/stage_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>

#include <boost/hana/unpack.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace zoo_test {

using namespace ipuflow;

/// A network with a stage for each of its blocks, for images of this shape.
template <std::size_t Channels, std::size_t Height, std::size_t Width, class Network>
constexpr auto block_by_block(const Network& network) {
  return hana::unpack(network.blocks, [](auto... block) { return pipeline(input<float, Channels, Height, Width>, block...); });
}

template <class P, std::size_t... Stage>
constexpr std::size_t parameters_of(std::index_sequence<Stage...>) {
  return (nn::stage_program<P, Stage, float>::parameter_count + ...);
}
template <class P>
constexpr std::size_t parameters_of(const P&) {
  return parameters_of<P>(std::make_index_sequence<P::stage_count>{});
}

/// Numbers of streams that go on from tensor to tensor: parameters have those from 0 on, running statistics from 1000 on.
struct made_up_numbers {
  double gain = 1;  // of weights: so large that what an image is made of reaches the end of the network
  std::uint64_t stream = 0, norm = 1000;

  /// Scales are near 1, and shifts near 0.
  void fill(const nn::impl::step_plan& step, float* values, float* state) {
    const nn::layer_facts& known = step.facts;
    const std::size_t weights = known.parameters - known.biases;
    const auto set = [](float* to, std::uint64_t of, std::size_t count, std::size_t first, double factor, double shift) {
      for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<float>(factor * static_cast<double>(nn::random_unit(of, first + i)) + shift);
    };
    float* to = values + step.parameters_begin;
    if (known.weight_extents.size() > 1) {
      const double bound = std::sqrt(gain * static_cast<double>(known.weight_extents[0]) / static_cast<double>(weights));
      set(to, stream++, weights, 0, 2 * bound, -bound);
    } else if (weights > 0) {
      set(to, stream++, weights, 0, 0.5, 0.75);
    }
    if (known.biases > 0) set(to + weights, stream++, known.biases, 0, 0.25, -0.125);
    if (known.state > 0) {
      const std::size_t channels = known.state / 2;
      set(state + step.state_begin, norm, channels, 0, 0.5, -0.25);
      set(state + step.state_begin + channels, norm++, channels, channels, 0.5, 0.75);
    }
  }
};

/// The first ten numbers that a network with made-up numbers gives for the second of two images.
template <class P>
std::vector<float> values_of_second_image(const P&, double gain) {
  nn_test::pipeline_run<P, float> run{2};
  run.context.training = false;
  made_up_numbers numbers{gain};
  const auto fill = [&](auto& stage) {
    for (const auto& step : stage.program.plan.steps) numbers.fill(step, stage.values.data(), stage.state.data());
  };
  std::apply([&](auto&... stage) { (fill(stage), ...); }, run.stages);
  auto& first = run.template stage<0>();
  const auto image = first.program.template input<0>(first.memory);
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t e = 0; e < image.elements; ++e)
      image[e].set(s, 2 * nn::random_unit(7777, s * image.elements + e) - 1);
  }
  run.forward();
  auto& last = run.template stage<P::stage_count - 1>();
  const auto made = last.program.template output<0>(last.memory);
  std::vector<float> second;
  float most = 0, difference = 0;
  for (std::size_t e = 0; e < 10; ++e) {
    second.push_back(made[e][1]);
    most = std::fmax(most, std::fabs(second.back()));
    difference = std::fmax(difference, std::fabs(made[e][0] - made[e][1]));
  }
  CHECK(difference > most / 100);
  return second;
}

/// Within rounding, which many layers add up.
inline void check_values(const std::vector<float>& got, const std::vector<float>& expected) {
  REQUIRE(got.size() == expected.size());
  float most = 0;
  for (const float value : expected) most = std::fmax(most, std::fabs(value));
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got[i] - expected[i]) < 1e-4f * most);
  }
}

}  // namespace zoo_test
