// SPDX-License-Identifier: BSL-1.0
// Attention against the formula written out for single numbers, and its gradients against differences.
#include "layer_check.hpp"

#include <ipuflow/nn/layers/attention.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attention_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

template <class Layer, class In>
concept attends = requires { output_of(Layer{}, In{}); };
static_assert(attends<nn::attention_t<2, false>, tensor<float, 5, 12>> && !attends<nn::attention_t<5, false>, tensor<float, 5, 12>> &&
              !attends<nn::attention_t<2, false>, tensor<float, 60>> && !attends<nn::attention_t<2, false>, tensor<int, 5, 12>>);

/// A sample of `positions` x 3 `features`, with a segment for each position.
std::vector<double> by_hand(const std::vector<double>& x, std::size_t positions, std::size_t features, std::size_t heads, bool causal,
                            const std::vector<int>& segment) {
  const std::size_t width = features / heads;
  std::vector<double> y(positions * features);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < positions; ++i) {
      std::vector<double> share(positions);
      double sum = 0;
      for (std::size_t j = 0; j < positions; ++j) {
        if ((causal && j > i) || segment[i] != segment[j]) continue;
        double dot = 0;
        for (std::size_t f = 0; f < width; ++f) {
          dot += x[i * 3 * features + h * width + f] * x[j * 3 * features + features + h * width + f];
        }
        sum += share[j] = std::exp(dot / std::sqrt(static_cast<double>(width)));
      }
      for (std::size_t f = 0; f < width; ++f) {
        for (std::size_t j = 0; j < positions; ++j) {
          y[i * features + h * width + f] += share[j] / sum * x[j * 3 * features + 2 * features + h * width + f];
        }
      }
    }
  }
  return y;
}

template <bool Causal, std::size_t Heads, std::size_t Positions, std::size_t Features, class T>
void check_values(std::size_t samples, double tolerance) {
  using in = tensor<T, Positions, 3 * Features>;
  bench<T, nn::attention_t<Heads, Causal>, in> test{samples};
  test.forward();
  for (std::size_t s = 0; s < samples; ++s) {
    std::vector<double> x;
    for (std::size_t e = 0; e < in::elements; ++e) x.push_back(static_cast<double>(test.x.get(s, e)));
    const std::vector<double> y = by_hand(x, Positions, Features, Heads, Causal, std::vector<int>(Positions));
    for (std::size_t e = 0; e < y.size(); ++e) {
      REQUIRE(static_cast<double>(test.y.get(s, e)) == doctest::Approx(y[e]).epsilon(tolerance).scale(1));
    }
  }
}

/// With numbers for the positions of each sample.
template <bool Causal, std::size_t Positions, std::size_t Features>
struct segmented {
  using layer = nn::attention_t<2, Causal>;
  using in = nn::in<shape<Positions, 3 * Features>, tensor<std::uint8_t, Positions>>;
  using out = nn::out<shape<Positions, Features>>;

  std::size_t samples;
  owned<double, shape<Positions, 3 * Features>> x{samples}, d_x{samples};
  owned<double, shape<Positions, Features>> y{samples}, d_y{samples};
  owned<std::uint8_t, shape<Positions>> segments{samples};

  explicit segmented(std::size_t count) : samples{count} {
    x.randomise(1);
    d_y.randomise(2);
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t p = 0; p < Positions; ++p) segments.set(s, p, static_cast<std::uint8_t>(p * (2 + s % 2) / Positions));
    }
  }
  double objective() {
    nn::impl::run_forward(layer{}, nn::forward_pass<double, in, out>{{x.read(), segments.read()}, {y.view()}});
    double sum = 0;
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t e = 0; e < Positions * Features; ++e) sum += y.get(s, e) * d_y.get(s, e);
    }
    return sum;
  }
  void backward() {
    nn::impl::run_backward_inputs(layer{}, nn::inputs_pass<double, in, out>{{x.read(), segments.read()}, {y.read()}, {d_y.read()}, {d_x.view()}});
  }
};

template <bool Causal>
void check_segments() {
  constexpr std::size_t positions = 11, features = 6;
  segmented<Causal, positions, features> test{3};
  test.objective();
  for (std::size_t s = 0; s < test.samples; ++s) {
    std::vector<double> x;
    std::vector<int> segment;
    for (std::size_t e = 0; e < positions * 3 * features; ++e) x.push_back(test.x.get(s, e));
    for (std::size_t p = 0; p < positions; ++p) segment.push_back(test.segments.get(s, p));
    const std::vector<double> y = by_hand(x, positions, features, 2, Causal, segment);
    for (std::size_t e = 0; e < y.size(); ++e) REQUIRE(test.y.get(s, e) == doctest::Approx(y[e]));
  }
  test.backward();
  for (std::size_t i = 0; i < test.samples * positions * 3 * features; i += 5) {
    const std::size_t s = i / (positions * 3 * features), e = i % (positions * 3 * features);
    const double here = test.x.get(s, e);
    test.x.set(s, e, here + 1e-5);
    const double above = test.objective();
    test.x.set(s, e, here - 1e-5);
    const double below = test.objective();
    test.x.set(s, e, here);
    REQUIRE(test.d_x.get(s, e) == doctest::Approx((above - below) / 2e-5).epsilon(1e-6).scale(1));
  }
}

}  // namespace

TEST_CASE("attention is the formula, also where samples begin within a vector, and for more keys than a block") {
  check_values<false, 2, 5, 6, double>(nn::lane_count + 1, 1e-12);
  check_values<true, 3, 2 * nn::lane_count, 6, double>(2, 1e-12);
  check_values<false, 1, 2 * nn::lane_count + 3, 20, float>(3, 1e-5);
  check_values<true, 2, 2 * nn::lane_count + 3, 34, float>(3, 1e-5);
  check_values<true, 2, 9, 4, half>(2, 2e-3);
}

TEST_CASE("gradients of attention") {
  check_layer(nn::attention<2>, tensor<float, 5, 12>{});
  check_layer(nn::causal_attention<1>, tensor<float, nn::lane_count + 2, 6>{}, 3);
  check_layer(nn::causal_attention<2>, tensor<float, 2 * nn::lane_count, 12>{}, 17);
}

TEST_CASE("positions see those of their segment") {
  check_segments<false>();
  check_segments<true>();
}

TEST_CASE("segments are told apart however large their numbers are") {
  constexpr std::size_t positions = 4;
  using in = nn::in<shape<positions, 6>, tensor<std::int64_t, positions>>;
  using out = nn::out<shape<positions, 2>>;
  const auto seen_with = [](std::int64_t base) {
    owned<float, shape<positions, 6>> x{1};
    owned<float, shape<positions, 2>> y{1};
    owned<std::int64_t, shape<positions>> segments{1};
    x.randomise(1);
    for (std::size_t p = 0; p < positions; ++p) segments.set(0, p, base + static_cast<std::int64_t>(p % 2));
    nn::impl::run_forward(nn::attention<1>, nn::forward_pass<float, in, out>{{x.read(), segments.read()}, {y.view()}});
    std::vector<float> made;
    for (std::size_t e = 0; e < positions * 2; ++e) made.push_back(y.get(0, e));
    return made;
  };
  for (const std::int64_t base : {std::int64_t{1} << 24, std::int64_t{-1} - (std::int64_t{1} << 40)}) CHECK(seen_with(base) == seen_with(0));
}

TEST_CASE("the work is that of the pairs that are seen") {
  CHECK(facts(nn::attention<2>, tensor<float, 8, 12>{}).forward_work == 2 * 8 * 8 * 4);
  CHECK(facts(nn::causal_attention<2>, tensor<float, 8, 12>{}).forward_work == 2 * 36 * 4);
}

}  // namespace attention_test
