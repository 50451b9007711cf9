// SPDX-License-Identifier: BSL-1.0
// What tests of networks ask: what the host makes of made-up weights, statistics, images and texts, which torch_values.py makes up
// likewise. Each block of a network of images is a stage of its own.
#pragma once

#include "../nn/stage_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>
#include <ipuflow/nn/stage/ties.hpp>

#include <boost/hana/unpack.hpp>
#include <doctest/doctest.h>

#include <algorithm>
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

template <class P>
constexpr std::size_t parameters_of(const P& network) {
  return nn::parameter_count(network);
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
    if (!known.tied_to.empty()) {
      // those of its table, which `copy_ties` brings
    } else if (known.weight_extents.size() > 1) {
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

/// Weights that layers share, from the table to the others.
template <class Run, class P>
void copy_ties(Run& run, const P&) {
  const auto values_of = [&](std::size_t stage) {
    float* found = nullptr;
    std::size_t at = 0;
    std::apply([&](auto&... each) { ((found = at++ == stage ? each.values.data() : found), ...); }, run.stages);
    return found;
  };
  for (const nn::tie& t : nn::ties_of<P>)
    std::copy_n(values_of(t.table_stage) + t.table_first, t.count, values_of(t.copy_stage) + t.copy_first);
}

/// True if a network trains on the host: backward passes are compiled as constants alone, since no test runs those of whole
/// networks, and half of the code would be theirs.
template <class P, std::size_t... Stage>
constexpr bool trains(std::index_sequence<Stage...>) {
  return (!nn::code_of<P, Stage, float>.steps.empty() && ...);
}

/// A network with made-up numbers, for two samples, as it is used.
template <class P>
auto made_up_run(const P& network, double gain) {
  static_assert(trains<P>(std::make_index_sequence<P::stage_count>{}));
  nn_test::pipeline_run<P, float, false> run{2};
  run.context.training = false;
  made_up_numbers numbers{gain};
  const auto fill = [&](auto& stage) {
    for (const auto& step : stage.program.plan.steps) numbers.fill(step, stage.values.data(), stage.state.data());
  };
  std::apply([&](auto&... stage) { (fill(stage), ...); }, run.stages);
  copy_ties(run, network);
  return run;
}

/// Numbers of what a network gives for the second of two samples, which are not those for the first one.
template <class Batch>
std::vector<float> values_of_second(const Batch& made, std::size_t first, std::size_t count) {
  std::vector<float> second;
  float most = 0, difference = 0;
  for (std::size_t e = first; e < first + count; ++e) {
    const auto value = [&](std::size_t sample) { return made[made.place_of(sample, e).vector][made.place_of(sample, e).lane]; };
    second.push_back(value(1));
    most = std::fmax(most, std::fabs(second.back()));
    difference = std::fmax(difference, std::fabs(value(0) - value(1)));
  }
  CHECK(difference > most / 100);
  return second;
}

/// The first ten numbers that a network with made-up numbers gives for the second of two images.
template <class P>
std::vector<float> values_of_second_image(const P& network, double gain) {
  auto run = made_up_run(network, gain);
  auto& first = run.template stage<0>();
  const auto image = first.program.template input<0>(first.memory);
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t e = 0; e < image.elements; ++e)
      image[e].set(s, 2 * nn::random_unit(7777, s * image.elements + e) - 1);
  }
  run.forward();
  auto& last = run.template stage<P::stage_count - 1>();
  return values_of_second(last.program.template output<0>(last.memory), 0, 10);
}

/// Sets what enters a network as its input `Index`: a whole number for each element of both samples.
template <std::size_t Index, class Run, class Number>
void set_input(Run& run, Number number) {
  auto& first = run.template stage<0>();
  const auto batch = first.program.template input<Index>(first.memory);
  using whole = std::remove_cvref_t<decltype(batch[0][0])>;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t e = 0; e < batch.elements; ++e) {
      const nn::lane_place at = batch.place_of(s, e);
      batch[at.vector].set(at.lane, static_cast<whole>(number(s, e)));
    }
  }
}

/// The last ten numbers, or all, that a network of texts gives for the second of two. `set_more(run)` sets what it reads beside tokens.
template <std::size_t Vocabulary, class P, class More>
std::vector<float> values_of_second_text(const P& network, double gain, More set_more) {
  auto run = made_up_run(network, gain);
  constexpr std::size_t positions = decltype(run.template stage<0>().program.template input<0>(run.template stage<0>().memory))::elements;
  set_input<0>(run, [](std::size_t s, std::size_t e) { return static_cast<double>(nn::random_unit(7777, s * positions + e)) * Vocabulary; });
  set_more(run);
  run.forward();
  auto& last = run.template stage<P::stage_count - 1>();
  const auto made = last.program.template output<0>(last.memory);
  const std::size_t count = made.elements < 10 ? made.elements : 10;
  return values_of_second(made, made.elements - count, count);
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
