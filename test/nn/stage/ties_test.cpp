// SPDX-License-Identifier: BSL-1.0
// Ties are found by name wherever a pipeline is cut, weights that layers share count once, and what does not fit is refused.
#include "../layer_check.hpp"
#include "../stage_runner.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ties_test {

using namespace ipuflow;

namespace {

constexpr std::size_t positions = 3, vocabulary = 6, features = 4, table = vocabulary * features;

template <class... Head>
constexpr auto scored_by(Head... head) {
  return pipeline(input<std::uint8_t, positions>, per_sample<"next", tensor<std::uint8_t, positions>>,
                  block<"embed">(nn::embedding<vocabulary, features>, nn::position_embedding), block<"middle">(nn::linear<features>, nn::tanh),
                  block<"head">(nn::layer_norm, head..., use<"next">(nn::cross_entropy)));
}

constexpr auto tied = scored_by(nn::tied<"embed[0]">(nn::linear<vocabulary>));
constexpr auto in_one = regroup(tied, stage<"embed", "middle", "head">().ipu<0>());
constexpr auto cut = regroup(tied, stage<"embed">().ipu<0>(), stage<"embed[1]", "middle", "head">().ipu<1>(), stage<"head[1]">().ipu<2>());
constexpr auto apart = scored_by(nn::linear<vocabulary>);

template <const auto& Network>
using type_of = std::remove_cvref_t<decltype(Network)>;
template <const auto& Network>
constexpr auto ties = nn::ties_of<type_of<Network>>;

constexpr std::size_t before = table + positions * features, middle = features * features + features;
static_assert(ties<tied>.size() == 1 && ties<tied>[0] == nn::tie{0, 0, 2, 2 * features, table});
static_assert(ties<in_one>[0] == nn::tie{0, 0, 0, before + middle + 2 * features, table});
static_assert(ties<cut>[0] == nn::tie{0, 0, 2, 0, table});
static_assert(ties<apart>.empty());

static_assert(nn::parameter_count(tied) == before + middle + 2 * features + vocabulary);
static_assert(nn::parameter_count(in_one) == nn::parameter_count(tied) && nn::parameter_count(cut) == nn::parameter_count(tied));
static_assert(nn::parameter_count(apart) == nn::parameter_count(tied) + table);

/// Two copies, of which one stands before the table.
constexpr auto thrice = single_stage(input<float, 5>, block<"a">(nn::tied<"b[1]">(nn::linear<5>)), block<"b">(nn::tanh, nn::linear<5>),
                                 block<"c">(nn::tanh, nn::tied<"b[1]">(without_biases(nn::linear<5>))));
static_assert(ties<thrice>.size() == 2 && ties<thrice>[0] == nn::tie{0, 30, 0, 0, 25} && ties<thrice>[1] == nn::tie{0, 30, 0, 60, 25});
static_assert(nn::parameter_count(thrice) == 25 + 5 + 5);

template <class Head>
nn::nn_fault fault_of(Head head) {
  using network = std::remove_cvref_t<decltype(scored_by(head))>;
  return nn::verify_ties<network>();
}

}  // namespace

TEST_CASE("what does not fit is said in one sentence") {
  CHECK_FALSE(nn::verify_ties<type_of<tied>>());
  CHECK_FALSE(nn::verify_ties<type_of<apart>>());
  const auto nothing = fault_of(nn::tied<"embed">(nn::linear<vocabulary>));
  CHECK(message(nothing).view() ==
        "ipuflow: op 1 of block 'head' shares the weights of 'embed', but no layer has this name; say its block and which of its ops it is, "
        "as in nn::tied<\"embed[0]\">");
  CHECK(fault_of(nn::tied<"embed[5]">(nn::linear<vocabulary>)).kind == nn::nn_wrong::tied_to_nothing);
  CHECK(fault_of(nn::tied<"embe[0]">(nn::linear<vocabulary>)).kind == nn::nn_wrong::tied_to_nothing);
  CHECK(fault_of(nn::tied<"next[0]">(nn::linear<vocabulary>)).kind == nn::nn_wrong::tied_to_nothing);
  const auto differ = fault_of(nn::tied<"embed[1]">(nn::linear<vocabulary>));
  CHECK(message(differ).view() ==
        "ipuflow: op 1 of block 'head' shares the weights of 'embed[1]', but their shapes are [6, 4] and [3, 4]; both have as many rows and columns");
  CHECK(fault_of(nn::tied<"middle[1]">(nn::linear<vocabulary>)).kind == nn::nn_wrong::tied_shapes_differ);  // which has none
  CHECK(fault_of(nn::tied<"head[0]">(nn::linear<vocabulary>)).kind == nn::nn_wrong::tied_shapes_differ);
  const auto in_turn = fault_of(nn::tied<"head[1]">(nn::linear<vocabulary>));
  CHECK(message(in_turn).view() ==
        "ipuflow: op 1 of block 'head' shares the weights of 'head[1]', which itself shares those of a layer; name the layer that has them");
}

TEST_CASE("with one table in both places, its gradient is the sum of those of the copies") {
  constexpr std::size_t samples = 5;
  nn_test::pipeline_run<type_of<tied>, double> run{samples};
  auto& first = run.stage<0>();
  auto& last = run.stage<2>();
  const auto tokens = first.program.input<0>(first.memory);
  const auto next = first.program.input<1>(first.memory);
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < positions; ++p) {
      const auto at = tokens.place_of(s, p);
      tokens[at.vector].set(at.lane, static_cast<std::uint8_t>((s + 2 * p) % vocabulary));
      next[at.vector].set(at.lane, static_cast<std::uint8_t>((3 * s + p) % vocabulary));
    }
  }
  double* const there = first.values.data();
  double* const here = last.values.data() + ties<tied>[0].copy_first;
  for (std::size_t i = 0; i < table; ++i) there[i] = here[i] = nn_test::noise(4, i);
  const auto loss = [&] {
    run.forward();
    double sum = 0;
    const auto made = last.program.output<1>(last.memory);
    for (std::size_t s = 0; s < samples; ++s) sum += made[made.place_of(s, 0).vector][made.place_of(s, 0).lane];
    return sum;
  };
  loss();
  run.backward(false);
  constexpr double step = 1e-5;
  double most = 0;
  for (std::size_t i = 0; i < table; ++i) {
    const auto move = [&](double by) { there[i] += by, here[i] += by; };
    move(step);
    const double above = loss();
    move(-2 * step);
    const double below = loss();
    move(step);
    const double slope = (above - below) / (2 * step);
    CHECK(first.d_values[i] + last.d_values[ties<tied>[0].copy_first + i] == doctest::Approx(slope).epsilon(1e-6));
    most = std::max(most, std::min(std::abs(first.d_values[i]), std::abs(last.d_values[ties<tied>[0].copy_first + i])));
  }
  CHECK(most > 1e-2);  // both have a part in it
}

}  // namespace ties_test
