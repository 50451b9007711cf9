// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/normalise.hpp>
#include <ipuflow/train/step_data.hpp>

#include <cstdint>
#include <limits>

namespace normalise_test {

using namespace nn_test;

inline constexpr auto photos = nn::normalise<nn::channels{0.485, 0.456, 0.406}, nn::channels{0.229, 0.224, 0.225}>;
inline constexpr auto digits = nn::normalise<0.1307, 0.3081>;

template <class Layer, class In>
concept takes = requires(Layer layer, In in) { output_of(layer, in); };
using photos_type = std::remove_const_t<decltype(photos)>;
using digits_type = std::remove_const_t<decltype(digits)>;
static_assert(std::is_same_v<decltype(output_of(photos, tensor<std::uint8_t, 3, 4, 4>{})), tensor<float, 3, 4, 4>>);
static_assert(std::is_same_v<decltype(output_of(digits, tensor<half, 4>{})), tensor<half, 4>>);
static_assert(takes<digits_type, tensor<std::uint8_t, 4, 2, 2>>);     // one number for all channels
static_assert(!takes<photos_type, tensor<std::uint8_t, 4, 2, 2>>);    // three numbers for four
static_assert(!takes<digits_type, tensor<std::int32_t, 1, 2, 2>>);    // what would stand for 1?

// Factor and shift of every normalisation are numbers.
constexpr nn::nn_wrong wrong_of(double mean, double deviation) {
  return nn::impl::verify(nn::channels{mean}, nn::channels{0.5, deviation}).kind;
}
constexpr bool in_floats(double mean, double deviation) {
  if (wrong_of(mean, deviation) != nn::nn_wrong::nothing) return false;
  const nn::impl::channel_rule by = nn::impl::rule_of<std::uint8_t>(nn::channels{mean}, nn::channels{deviation}, 0);
  constexpr float most = std::numeric_limits<float>::max();
  return by.scale > 0 && by.scale <= most && by.shift >= -most && by.shift <= most;
}
constexpr double infinite = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
static_assert(wrong_of(0.5, 0) == nn::nn_wrong::no_deviation && wrong_of(0.5, -1) == nn::nn_wrong::no_deviation);
static_assert(wrong_of(0.5, 1e-50) == nn::nn_wrong::no_deviation && wrong_of(0.5, 1e-38) == nn::nn_wrong::no_deviation);
static_assert(wrong_of(0.5, 1.4e36) == nn::nn_wrong::no_deviation && wrong_of(0.5, 1e50) == nn::nn_wrong::no_deviation);
static_assert(wrong_of(0.5, infinite) == nn::nn_wrong::no_deviation && wrong_of(0.5, none) == nn::nn_wrong::no_deviation);
static_assert(wrong_of(infinite, 1) == nn::nn_wrong::no_mean && wrong_of(-infinite, 1) == nn::nn_wrong::no_mean);
static_assert(wrong_of(none, 1) == nn::nn_wrong::no_mean && wrong_of(1e50, 1) == nn::nn_wrong::no_mean);
static_assert(wrong_of(1e8, 1e-35) == nn::nn_wrong::no_mean && wrong_of(-1e8, 1e-35) == nn::nn_wrong::no_mean);
static_assert(in_floats(0.5, 1.2e-38) && in_floats(-0.5, 1.3e36) && in_floats(1.5e38, 1) && in_floats(0, 1));

TEST_CASE("Normalisation of real numbers by channel, with its gradient") {
  check_layer(photos, tensor<float, 3, 2, 5>{});
  check_layer(digits, tensor<float, 9>{});
  bench<float, photos_type, tensor<float, 3, 2, 1>> test{2};
  test.forward();
  CHECK(test.y.get(1, 3) == doctest::Approx((static_cast<double>(test.x.get(1, 3)) - 0.456) / 0.224));
}

template <class T>
void check_bytes() {
  using value = tensor<std::uint8_t, 2, 7, 1>;
  constexpr auto layer = nn::normalise<nn::channels{0.1307, 0.4}, nn::channels{0.3081, 0.2}>;
  std::vector<std::uint8_t> pixels((nn::lane_count + 3) * 14);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37 % 256);
  owned<std::uint8_t, shape<2, 7, 1>> x{nn::lane_count + 3};
  owned<T, shape<2, 7, 1>> y{x.samples}, scaled[]{y, y};
  nn::pack(pixels.data(), x.view());
  nn::impl::run_forward(layer, nn::forward_pass<T, nn::in<value>, nn::out<shape<2, 7, 1>>>{{x.read()}, {y.view()}, nullptr, nullptr, {}});
  train::impl::load_samples<false>(pixels.data(), x.samples, scaled[0].view(), train::scaling::of_pixels(0.1307f, 0.3081f));
  train::impl::load_samples<false>(pixels.data(), x.samples, scaled[1].view(), train::scaling::of_pixels(0.4f, 0.2f));
  for (std::size_t s = 0; s < x.samples; ++s) {
    for (std::size_t e = 0; e < 14; ++e) REQUIRE(static_cast<float>(y.get(s, e)) == static_cast<float>(scaled[e / 7].get(s, e)));
  }
}

TEST_CASE("Bytes become bit for bit what the scaling of a session makes of them") {
  check_bytes<float>();
  check_bytes<double>();
  check_bytes<half>();
}

}  // namespace normalise_test
