// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/half.hpp>
#include <ipuflow/feed/images/convert.hpp>
#include <ipuflow/feed/images/images.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <type_traits>
#include <vector>

#include "feed/images/same.hpp"

namespace convert_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

constexpr auto bytes = std::to_array({std::array<std::uint8_t, 3>{0, 128, 255}});
static_assert(same((bytes | convert<float>())[0], {0.0f, 128.0f, 255.0f}));
static_assert(same((bytes | convert<float>(0.5, -1))[0], {-1.0f, 63.0f, 126.5f}));
static_assert(same((bytes | convert<float>(0.5, -1) | convert<std::uint8_t>(2, 2))[0], bytes[0]));  // there and back
static_assert(same((bytes | convert<std::int64_t>() | convert<std::uint8_t>())[0], bytes[0]));
constexpr auto pixels = (bytes | images<1, 1, 3>() | convert<float>())[0];  // an image stays one
static_assert(pixels(0, 0, 2) == 255.0f);
static_assert(std::is_same_v<scaled_in<std::uint8_t, float>, float> && std::is_same_v<scaled_in<std::int32_t, float>, double>);

TEST_CASE("integers are rounded to the nearest and kept within their type") {
  constexpr auto values = std::to_array({std::array{-0.6f, -0.5f, 0.4f, 0.5f, 254.5f, 255.4f, 1e9f, std::numeric_limits<float>::quiet_NaN()}});
  CHECK((values | convert<std::uint8_t>())[0] == std::array<std::uint8_t, 8>{0, 0, 0, 1, 255, 255, 255, 0});
  CHECK((values | convert<std::int8_t>())[0] == std::array<std::int8_t, 8>{-1, -1, 0, 1, 127, 127, 127, -128});
  constexpr auto large = std::to_array({std::array<std::int64_t, 2>{1'000'000'007, std::numeric_limits<std::int64_t>::max()}});
  CHECK((large | convert<std::int32_t>())[0] == std::array<std::int32_t, 2>{1'000'000'007, 2'147'483'647});
}

TEST_CASE("the number below a half is nearer to 0, and whole numbers are what they are") {
  constexpr auto values = std::to_array({std::array{0.49999997f, -0.49999997f, 1.4999999f, 1.5f, 2.5f, -2.5f}});
  CHECK((values | convert<std::uint8_t>())[0] == std::array<std::uint8_t, 6>{0, 0, 1, 2, 3, 0});
  CHECK((values | convert<std::int16_t>())[0] == std::array<std::int16_t, 6>{0, 0, 1, 2, 3, -3});
  constexpr auto odd = std::to_array({std::array<std::int64_t, 2>{(std::int64_t{1} << 52) + 1, -(std::int64_t{1} << 52) - 3}});
  CHECK((odd | convert<std::int64_t>())[0] == odd[0]);
  for (int eighths = -8 * 130; eighths <= 8 * 130; ++eighths) {  // against whole numbers: halves away from 0
    const float value = static_cast<float>(eighths) / 8;
    const int nearest = (eighths < 0 ? eighths - 4 : eighths + 4) / 8;
    CHECK(converted<std::int8_t>(value) == (nearest < -128 ? -128 : nearest > 127 ? 127 : nearest));
    CHECK(converted<std::int32_t>(static_cast<double>(value)) == nearest);
  }
}

TEST_CASE("whole numbers of 64 bits keep all of them, and are kept within smaller types") {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1, most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  constexpr auto signs = std::to_array({std::array<std::int64_t, 5>{odd, -odd, most, least, -1}});
  CHECK((signs | convert<std::int64_t>())[0] == signs[0]);
  CHECK((signs | convert<std::uint64_t>())[0] == std::array<std::uint64_t, 5>{std::uint64_t{odd}, 0, std::uint64_t{most}, 0, 0});
  CHECK((signs | convert<std::int8_t>())[0] == std::array<std::int8_t, 5>{127, -128, 127, -128, -1});
  CHECK((signs | convert<std::uint8_t>())[0] == std::array<std::uint8_t, 5>{255, 0, 255, 0, 0});
  constexpr std::uint64_t above = std::numeric_limits<std::uint64_t>::max();
  constexpr auto large = std::to_array({std::array<std::uint64_t, 2>{above, std::uint64_t{odd}}});
  CHECK((large | convert<std::uint64_t>())[0] == large[0]);
  CHECK((large | convert<std::int64_t>())[0] == std::array<std::int64_t, 2>{most, odd});
}

TEST_CASE("halves, widths that are numbers, labels beside them, and ranges") {
  const std::vector<std::uint8_t> memory{1, 2, 3, 4};
  const std::vector<int> labels{7, 8};
  const auto [row, label] = (zip(rows(memory, 2), labels) | convert<ipuflow::half>(0.25))[1];
  CHECK(row == std::vector<ipuflow::half>{ipuflow::half{0.75f}, ipuflow::half{1.0f}});
  CHECK(label == 8);
  const std::list<std::array<int, 2>> range{{1, 2}, {3, 4}};
  float sum = 0;
  for (const auto& two : range | convert<float>()) sum += two[0] * two[1];
  CHECK(sum == 14);
}

}  // namespace convert_test
