// SPDX-License-Identifier: BSL-1.0
// Vectors by hand: places are (i + 0.5) * in / out - 0.5, clamped, as PyTorch's `interpolate(align_corners=False)` has
// them; its `nearest` takes element floor(i * in / out).
#include <ipuflow/feed/images/flip.hpp>
#include <ipuflow/feed/images/images.hpp>
#include <ipuflow/feed/images/resize.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "feed/images/same.hpp"

namespace resize_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

constexpr auto two = std::to_array({std::array{1.0f, 2.0f, 3.0f, 4.0f}});
constexpr auto square = two | images<1, 2, 2>();
static_assert(same((square | resize<2, 2>())[0].elements(), two[0]));
static_assert(same((square | resize<2, 2>(interpolation::nearest))[0].elements(), two[0]));
// Places -0.25 -> 0, 0.25, 0.75, 1.25 -> 1 on both axes: the example of PyTorch's own documentation of Upsample.
static_assert(same((square | resize<4, 4>())[0].elements(),
                   std::array{1.0f, 1.25f, 1.75f, 2.0f, 1.5f, 1.75f, 2.25f, 2.5f,  //
                              2.5f, 2.75f, 3.25f, 3.5f, 3.0f, 3.25f, 3.75f, 4.0f}));
static_assert(same((square | resize<4, 4>(interpolation::nearest))[0].elements(),
                   std::array{1.0f, 1.0f, 2.0f, 2.0f, 1.0f, 1.0f, 2.0f, 2.0f, 3.0f, 3.0f, 4.0f, 4.0f, 3.0f, 3.0f, 4.0f, 4.0f}));
static_assert(same((square | resize<1, 1>())[0].elements(), std::array{2.5f}));  // place 0.5 on both axes
static_assert(same((square | resize<2, 1>())[0].elements(), std::array{1.5f, 3.5f}));

constexpr auto five = std::to_array({std::array{0.0f, 10.0f, 20.0f, 30.0f, 40.0f}});
constexpr auto line = five | images<1, 1, 5>();
static_assert(same((line | resize<1, 2>())[0].elements(), std::array{7.5f, 32.5f}));  // places 0.75 and 3.25: no mean of all
static_assert(same((line | resize<1, 2>(interpolation::nearest))[0].elements(), std::array{0.0f, 20.0f}));
static_assert(same((line | resize<1, 3>(interpolation::nearest))[0].elements(), std::array{0.0f, 10.0f, 30.0f}));

constexpr std::array<std::array<std::uint8_t, 2>, 1> bytes{{{0, 255}}};  // a quarter of 255 is 63.75
static_assert(same((bytes | images<1, 1, 2>() | resize<1, 4>())[0].elements(), std::array<std::uint8_t, 4>{0, 64, 191, 255}));

TEST_CASE("to the same size nothing changes, and a resize of a mirrored image is mirrored") {
  std::vector<std::vector<float>> pictures(1);
  for (std::size_t i = 0; i < 3 * 5 * 4; ++i) pictures[0].push_back(static_cast<float>(i * i % 17));
  const auto d = pictures | images(3, 5, 4);
  CHECK((d | resize(5, 4))[0].elements() == pictures[0]);
  CHECK((d | resize(5, 4, interpolation::nearest))[0].elements() == pictures[0]);
  for (const mirror way : {mirror::left_right, mirror::upside_down}) {
    const auto before = (d | flip(way) | resize(8, 7))[0], behind = (d | resize(8, 7) | flip(way))[0];
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(before.data()[i] == doctest::Approx(behind.data()[i]).epsilon(1e-5));
  }
}

TEST_CASE("each channel by itself; extents that are numbers give what fixed ones give") {
  const std::vector<std::array<float, 8>> pictures{{1, 2, 3, 4, 10, 20, 30, 40}};
  const auto fixed = (pictures | images<2, 2, 2>() | resize<4, 4>())[0];
  const auto numbers = (pictures | images(2, 2, 2) | resize(4, 4))[0];
  for (std::size_t i = 0; i < 16; ++i) CHECK(fixed.elements()[16 + i] == 10 * fixed.elements()[i]);
  CHECK(std::vector<float>(fixed.begin(), fixed.end()) == numbers.elements());
}

TEST_CASE("an image has a size") { CHECK_THROWS_AS((void)resize(0, 4), ipuflow::error); }

}  // namespace resize_test
