// SPDX-License-Identifier: BSL-1.0
// The law of the parts: composed in a description they are `attention`, in values and in gradients; their own gradients are those of
// finite differences.
#include "../layer_check.hpp"
#include "../stage_runner.hpp"

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/attention.hpp>
#include <ipuflow/nn/layers/attention_parts.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace attention_parts_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

template <class Layer, class... In>
concept takes = requires { output_of(Layer{}, In{}...); };
static_assert(takes<nn::attention_scores_t<2>, tensor<float, 5, 12>> && !takes<nn::attention_scores_t<5>, tensor<float, 5, 12>> &&
              !takes<nn::attention_scores_t<2>, tensor<float, 60>> && !takes<nn::attention_scores_t<2>, tensor<int, 5, 12>>);
static_assert(takes<nn::attention_shares_t, tensor<float, 5, 10>> && !takes<nn::attention_shares_t, tensor<float, 5, 12>>);
static_assert(takes<nn::weighted_values_t, tensor<float, 5, 10>, tensor<float, 5, 12>> &&
              !takes<nn::weighted_values_t, tensor<float, 5, 15>, tensor<float, 5, 12>> &&
              !takes<nn::weighted_values_t, tensor<float, 5, 10>, tensor<half, 5, 12>>);

// Products of every query with every key over all heads; backward one for each side.
static_assert(facts(nn::attention_scores<2>, tensor<float, 5, 12>{}).forward_work == 5 * 5 * 4);
static_assert(facts(nn::weighted_values, tensor<float, 5, 10>{}, tensor<float, 5, 12>{}).input_work == 2 * 5 * 5 * 4);

template <std::size_t Positions, std::size_t Features, class... Op>
constexpr auto around(Op... op) {
  return single_stage(input<float, Positions, Features>, per_sample<"text", tensor<std::uint8_t, Positions>>,
                      per_sample<"goal", tensor<float, Positions, Features>>,
                      block<"A">(nn::linear<3 * Features>, op..., use<"goal">(nn::mean_squared_error)));
}

template <class T, class P>
struct trained_once {
  pipeline_run<P, T> run;

  explicit trained_once(const P&, std::size_t samples) : run{samples} {
    auto& all = run.template stage<0>();
    fill(all.program.template input<0>(all.memory), 1);
    fill(all.program.template input<2>(all.memory), 2);
    const auto text = all.program.template input<1>(all.memory);
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t p = 0; p < text.elements; ++p) {
        const nn::lane_place at = text.place_of(s, p);
        text[at.vector].set(at.lane, static_cast<std::uint8_t>(p / (2 + s % 3)));
      }
    }
  }
  template <class View>
  void fill(View view, std::uint64_t stream) {
    for (std::size_t s = 0; s < run.samples; ++s) {
      for (std::size_t e = 0; e < view.elements; ++e) {
        const nn::lane_place at = view.place_of(s, e);
        view[at.vector].set(at.lane, nn::number<T>(2 * noise(stream, s * view.elements + e)));
      }
    }
  }
  std::vector<T> losses() {
    run.forward();
    auto& all = run.template stage<0>();
    const auto of = all.program.template output<1>(all.memory);
    std::vector<T> made;
    for (std::size_t s = 0; s < run.samples; ++s) made.push_back(of[s / nn::lane_count][s % nn::lane_count]);
    return made;
  }
  std::vector<T> predictions() {
    auto& all = run.template stage<0>();
    const auto of = all.program.template output<0>(all.memory);
    std::vector<T> made;
    for (std::size_t s = 0; s < run.samples; ++s)
      for (std::size_t e = 0; e < of.elements; ++e) made.push_back(of[of.place_of(s, e).vector][of.place_of(s, e).lane]);
    return made;
  }
};

template <class T>
void check_same(const std::vector<T>& a, const std::vector<T>& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    REQUIRE(static_cast<double>(a[i]) == doctest::Approx(static_cast<double>(b[i])).epsilon(tolerance).scale(1));
}

/// `whole` is attention as one layer, `parts` the same.
template <class T, class Whole, class Parts>
void check_parts(const Whole& whole, const Parts& parts, std::size_t samples, double tolerance) {
  trained_once<T, Whole> expected{whole, samples};
  trained_once<T, Parts> made{parts, samples};
  check_same(made.losses(), expected.losses(), tolerance);
  check_same(made.predictions(), expected.predictions(), tolerance);
  expected.run.backward(false);
  made.run.backward(false);
  check_same(made.run.template stage<0>().d_values, expected.run.template stage<0>().d_values, tolerance);
}

constexpr auto plain = ops(keep<"qkv">, nn::attention_scores<2>, nn::attention_shares, use<"qkv">(nn::weighted_values));
constexpr auto packed = ops(keep<"qkv">, nn::attention_scores<2>, use<"text">(nn::segment_mask), nn::attention_shares,
                            use<"qkv">(nn::weighted_values));
constexpr auto packed_causal = ops(keep<"qkv">, nn::attention_scores<2>, nn::causal_mask, use<"text">(nn::segment_mask),
                                   nn::attention_shares, use<"qkv">(nn::weighted_values));
template <std::size_t Heads>
constexpr auto causal = ops(keep<"qkv">, nn::attention_scores<Heads>, nn::causal_mask, nn::attention_shares, use<"qkv">(nn::weighted_values));

}  // namespace

TEST_CASE("parts that are composed are attention, in values and gradients") {
  constexpr std::size_t lanes = nn::lane_count;
  for (const std::size_t samples : {std::size_t{1}, lanes + 1}) {
    check_parts<double>(around<5, 4>(nn::attention<2>), around<5, 4>(plain), samples, 1e-12);
    check_parts<double>(around<lanes + 3, 6>(nn::causal_attention<3>), around<lanes + 3, 6>(causal<3>), samples, 1e-12);
    check_parts<double>(around<7, 4>(use<"text">(nn::attention<2>)), around<7, 4>(packed), samples, 1e-12);
    check_parts<float>(around<2 * lanes, 4>(use<"text">(nn::causal_attention<2>)), around<2 * lanes, 4>(packed_causal), samples, 1e-5);
  }
  check_parts<half>(around<5, 4>(nn::causal_attention<2>), around<5, 4>(causal<2>), 3, 1e-2);
}

TEST_CASE("gradients of scores and shares") {
  check_layer(nn::attention_scores<2>, tensor<float, 5, 12>{});
  check_layer(nn::attention_scores<1>, tensor<float, nn::lane_count + 2, 6>{}, 3);
  check_layer(nn::attention_shares, tensor<float, 4, 12>{});
}

TEST_CASE("gradients of the sum of values, by those of what is before it") {
  constexpr auto network = around<5, 4>(packed_causal);
  trained_once<double, std::decay_t<decltype(network)>> test{network, 3};
  const auto total = [&] {
    double sum = 0;
    for (const double loss : test.losses()) sum += loss;
    return sum;
  };
  total();
  test.run.backward(false);
  auto& all = test.run.stage<0>();
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    const double here = all.values[i];
    all.values[i] = here + 1e-5;
    const double above = total();
    all.values[i] = here - 1e-5;
    const double below = total();
    all.values[i] = here;
    REQUIRE(all.d_values[i] == doctest::Approx((above - below) / 2e-5).epsilon(1e-6).scale(1));
  }
}

TEST_CASE("shares of a head add up to one") {
  bench<double, nn::attention_shares_t, tensor<double, 4, 12>> test{3};
  test.forward();
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t first = 0; first < 48; first += 4) {
      double sum = 0;
      for (std::size_t key = 0; key < 4; ++key) sum += test.y.get(s, first + key);
      CHECK(sum == doctest::Approx(1));
    }
  }
}

}  // namespace attention_parts_test
