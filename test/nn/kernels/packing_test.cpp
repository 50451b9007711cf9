// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/kernels/packing.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>

namespace packing_test {

using namespace nn_test;

namespace {

template <class From, class T, class Shape>
void round_trip(std::size_t samples) {
  std::vector<From> numbers(samples * Shape::elements), back(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<From>(static_cast<float>(i * 37 % 100));
  owned<T, Shape> packed{samples};
  packed.fill(static_cast<T>(9.0f));
  nn::pack(numbers.data(), packed.view());
  for (std::size_t s = 0; s < nn::groups_for(samples) * nn::lane_count; ++s) {
    for (std::size_t e = 0; e < Shape::elements; ++e) {
      const auto expected = s < samples ? static_cast<double>(numbers[s * Shape::elements + e]) : 0;
      REQUIRE(static_cast<double>(packed.get(s, e)) == expected);
    }
  }
  nn::unpack(packed.read(), back.data());
  for (std::size_t i = 0; i < back.size(); ++i)
    REQUIRE(static_cast<double>(back[i]) == static_cast<double>(numbers[i]));
}

}  // namespace

TEST_CASE("Samples come back as they went in, whatever their type, number and size; padding is zero") {
  using odd = shape<2, 3, 7>;
  round_trip<std::uint8_t, float, odd>(nn::lane_count + 1);
  round_trip<float, float, odd>(2 * nn::lane_count);
  round_trip<half, float, odd>(1);
  round_trip<double, double, odd>(nn::lane_count - 1);
  round_trip<float, half, odd>(nn::lane_count + 1);
  round_trip<std::uint8_t, std::uint8_t, shape<>>(nn::lane_count + 3);
  round_trip<float, float, shape<>>(3);
}

}  // namespace packing_test
