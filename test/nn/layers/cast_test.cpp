// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/cast.hpp>

namespace cast_test {

using namespace nn_test;

static_assert(std::is_same_v<decltype(output_of(nn::cast<float>, tensor<std::uint8_t, 3, 4>{})), tensor<float, 3, 4>>);
static_assert(std::is_same_v<decltype(output_of(nn::cast<half>, tensor<float, 3>{})), tensor<half, 3>>);
static_assert(facts(nn::cast<float>, tensor<float, 3>{}).same_memory && !facts(nn::cast<float>, tensor<half, 3>{}).same_memory);
static_assert(facts(nn::cast<float>, tensor<std::int32_t, 3>{}).forward_work == 3);

TEST_CASE("A cast of real numbers passes values and gradients on") {
  check_layer(nn::cast<float>, tensor<half, 7>{});
}

template <class T, class Whole>
void check_whole(std::initializer_list<Whole> numbers) {
  using value = tensor<Whole, 5>;
  owned<Whole, shape<5>> x{nn::lane_count + 1};
  owned<T, shape<5>> y{nn::lane_count + 1};
  std::size_t at = 0;
  for (const Whole number : numbers) {
    x.set(at * 3 % x.samples, at % 5, number);
    ++at;
  }
  nn::impl::run_forward(nn::cast<float>, nn::forward_pass<T, nn::in<value>, nn::out<shape<5>>>{{x.read()}, {y.view()}, nullptr, nullptr, {}});
  for (std::size_t s = 0; s < x.samples; ++s) {
    for (std::size_t e = 0; e < 5; ++e)
      REQUIRE(static_cast<float>(y.get(s, e)) == static_cast<float>(static_cast<T>(static_cast<float>(x.get(s, e)))));
  }
}

TEST_CASE("Whole numbers become the real ones that they are, rounded if there is none") {
  check_whole<float, std::uint8_t>({0, 1, 127, 128, 255});
  check_whole<double, std::uint8_t>({0, 1, 127, 128, 255});
  check_whole<half, std::uint8_t>({0, 1, 127, 128, 255});
  check_whole<float, std::int32_t>({0, -1, 16'777'217, -2'000'000'000});
  check_whole<half, std::int32_t>({0, -1, 2049, -60'001});
}

}  // namespace cast_test
