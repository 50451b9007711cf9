// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/images/pixels.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <ranges>
#include <vector>

namespace pixels_test {

using namespace ipuflow::feed;

static_assert(pixels{}(0) == 0.0f && pixels{}(255) == 1.0f);

TEST_CASE("a pixel is scaled to 0 ... 1, then its mean is taken off and its deviation divided out") {
  constexpr pixels mnist{0.1307f, 0.3081f};
  std::vector<std::uint8_t> from(256);
  std::vector<float> into(256);
  for (std::size_t i = 0; i < 256; ++i) from[i] = static_cast<std::uint8_t>(i);
  mnist(from, into);
  std::size_t i = 0;
  for (const float value : from | std::views::transform(mnist)) {
    CHECK(value == doctest::Approx((static_cast<float>(i) / 255.0f - 0.1307f) / 0.3081f).epsilon(1e-5));
    CHECK(into[i] == doctest::Approx(value));
    ++i;
  }
}

TEST_CASE("as many as both hold") {
  const std::vector<std::uint8_t> three{255, 255, 255};
  std::vector<float> two(2);
  pixels{}(three, two);
  CHECK(two == std::vector<float>{1.0f, 1.0f});
}

}  // namespace pixels_test
