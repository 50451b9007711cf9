// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/simd/rounding.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rounding_test {

using namespace ipuflow;

namespace {

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

std::vector<float> awkward_numbers() {
  std::vector<float> all{
      0,          -0.0f,      65504,      65519.996f, 65520,           -65520,   1e30f,        HUGE_VALF,
      -HUGE_VALF, NAN,        0x1p-24f,   0x1p-25f,   0x1.000002p-25f, 0x1p-14f, 0x1.ffcp-15f, 0x1.ffep-15f,
      1.5f,       0x1.002p0f, 0x1.006p0f, 0x1p-149f};
  for (std::uint64_t i = 0; i < 20000; ++i) {
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(nn::random_bits(1, i))));
    all.push_back(std::ldexp(nn::random_unit(2, i) * 2 - 1, static_cast<int>(i % 48) - 30));
  }
  return all;
}

}  // namespace

TEST_CASE("Lanes are rounded and packed as a single half is") {
  const std::vector<float> numbers = awkward_numbers();
  std::vector<half> halves(numbers.size());
  std::vector<float> back(numbers.size());
  nn::impl::to_halves(numbers.data(), halves.data(), numbers.size());
  nn::impl::to_floats(halves.data(), back.data(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const half expected{numbers[i]};
    INFO(numbers[i]);
    REQUIRE(same(halves[i], expected));
    REQUIRE(same(back[i], expected));
    const nn::lanes<float> nearest = rounded(nn::lanes<float>::all(numbers[i]));
    REQUIRE(same(nearest[0], expected));
  }
}

TEST_CASE("Every half survives the way to float and back") {
  std::vector<half> all(65536), back(65536);
  std::vector<float> floats(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  nn::impl::to_floats(all.data(), floats.data(), all.size());
  nn::impl::to_halves(floats.data(), back.data(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(same(all[i], back[i]));
}

TEST_CASE("Stochastic rounding gives a neighbour, and the value on average") {
  for (const float value : {1.0003f, -3.1416f, 1000.7f, 0x1.8p-20f, -0x1.23p-23f, 0x1.4p-26f}) {
    double total = 0;
    constexpr std::size_t throws = 4000;
    const half below{std::abs(value)};
    for (std::size_t i = 0; i < throws; ++i) {
      const auto random = nn::lanes<std::uint32_t>::all(static_cast<std::uint32_t>(nn::random_bits(7, i)));
      const float one = stochastically_rounded(nn::lanes<float>::all(value), random)[0];
      REQUIRE(same(half{one}, one));
      total += static_cast<double>(one);
    }
    const double step = std::max(std::ldexp(1.0, std::ilogb(value) - 10), 0x1p-24);
    CHECK(std::abs(total / throws - static_cast<double>(value)) < 0.04 * step);
    CHECK(std::abs(static_cast<double>(below) - std::abs(static_cast<double>(value))) < step);
  }
  const auto random = nn::lanes<std::uint32_t>::all(0xffffffffu);
  CHECK(same(stochastically_rounded(nn::lanes<float>::all(0.5f), random)[0], 0.5f));
  CHECK(same(stochastically_rounded(nn::lanes<float>::all(-0.0f), random)[0], -0.0f));
}

TEST_CASE("Doubles are rounded too") { CHECK(rounded(nn::lanes<double>::all(1.0004))[0] == 1.0); }

}  // namespace rounding_test
