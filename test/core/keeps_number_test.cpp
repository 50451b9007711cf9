// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/keeps_number.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace keeps_number_test {

using namespace ipuflow;

static_assert(keeps_number<std::uint8_t>(255) && !keeps_number<std::uint8_t>(256) && !keeps_number<std::uint8_t>(-1));
static_assert(keeps_number<std::uint8_t>(255.0f) && !keeps_number<std::uint8_t>(256.0f) && !keeps_number<std::uint8_t>(0.5f));
static_assert(keeps_number<std::int64_t>(-0x1p63) && !keeps_number<std::int64_t>(0x1p63) && !keeps_number<std::uint64_t>(0x1p64f));
static_assert(!keeps_number<std::int32_t>(std::numeric_limits<float>::quiet_NaN()));
static_assert(keeps_number<int>(half{2.0f}) && !keeps_number<int>(half{0.5f}) && !keeps_number<std::uint8_t>(half{256.0f}));
static_assert(keeps_number<float>(0.1) && keeps_number<int>(7), "real numbers are rounded, and the same type is the same number");

TEST_CASE("A byte keeps the whole numbers that it has, of every eighth from -2 to 258") {
  for (int eighth = -16; eighth <= 8 * 258; ++eighth) {
    const double number = eighth / 8.0;
    const bool kept = number == std::floor(number) && number >= 0 && number <= 255;
    CHECK(keeps_number<std::uint8_t>(number) == kept);
    CHECK(keeps_number<std::int8_t>(number - 128) == kept);
    if (number == std::floor(number)) CHECK(keeps_number<std::uint8_t>(static_cast<long>(number)) == kept);
  }
}

}  // namespace keeps_number_test
