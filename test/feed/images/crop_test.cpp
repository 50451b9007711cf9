// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/images/crop.hpp>
#include <ipuflow/feed/images/images.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include "feed/images/same.hpp"

namespace crop_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

constexpr auto picture = std::to_array({std::array{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}});
constexpr auto three_by_four = picture | images<1, 3, 4>();
static_assert(same((three_by_four | crop<1, 2>())[0].elements(), std::array{6, 7}));
static_assert(same((three_by_four | crop<2, 2>())[0].elements(), std::array{2, 3, 6, 7}));  // the upper of two centres
static_assert(same((three_by_four | crop<3, 4>())[0].elements(), picture[0]));
static_assert(same((picture | images<2, 2, 3>() | crop<1, 1>())[0].elements(), std::array{2, 8}));
static_assert(same((three_by_four | crop_at_random<3, 4>(7))[0].elements(), picture[0]));

TEST_CASE("images of extents that are numbers") {
  const std::vector<std::vector<int>> pictures{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  CHECK((pictures | images(1, 3, 4) | crop(2, 2))[0].elements() == std::vector{2, 3, 6, 7});
  CHECK((pictures | images(1, 3, 4) | crop<2, 2>())[0].elements() == std::vector{2, 3, 6, 7});
  CHECK((picture | images<1, 3, 4>() | crop(2, 2))[0].elements() == std::vector{2, 3, 6, 7});
}

TEST_CASE("every place is drawn sometimes, and all are windows of the image in its frame") {
  constexpr std::array<std::array<int, 4>, 5> framed{
      {{0, 0, 0, 0}, {0, 1, 2, 0}, {0, 3, 4, 0}, {0, 5, 6, 0}, {0, 0, 0, 0}}};
  std::set<std::array<int, 4>> windows, seen;
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 3; ++x) windows.insert({framed[y][x], framed[y][x + 1], framed[y + 1][x], framed[y + 1][x + 1]});
  }
  const std::vector<std::array<int, 6>> pictures(200, {1, 2, 3, 4, 5, 6});
  const auto fixed = pictures | images<1, 3, 2>() | crop_at_random<2, 2>(7, 1);
  const auto numbers = pictures | images(1, 3, 2) | crop_at_random(2, 2, 7, 1);
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const auto cut = fixed.sample(i, 3);
    seen.insert(cut.elements());
    CHECK(std::vector<int>(cut.begin(), cut.end()) == numbers.sample(i, 3).elements());
  }
  CHECK(seen == windows);
}

TEST_CASE("a frame wider than the window leaves zeros") {
  const std::vector<std::array<int, 1>> ones(300, std::array{1});
  const auto d = ones | images<1, 1, 1>() | crop_at_random<1, 1>(7, 2);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < d.size(); ++i) hits += d[i](0, 0, 0) == 1 ? 1u : 0u;
  CHECK(hits > 0);
  CHECK(hits < 50);  // one place of 25
}

TEST_CASE("no more is cut out than there is") {
  const std::vector<std::vector<int>> pictures{{1, 2, 3, 4, 5, 6}};
  const auto d = pictures | images(1, 2, 3);
  CHECK_THROWS_WITH_AS((void)(d | crop(3, 1))[0],
                       "ipuflow: a crop takes 3 rows or columns of an image that has 2; crop at most those, or resize "
                       "before",
                       ipuflow::error);
  CHECK_THROWS_AS((void)(d | crop_at_random<1, 4>(7, 2))[0], ipuflow::error);
  CHECK_THROWS_WITH_AS((void)crop_at_random(1, 2, 7, static_cast<std::size_t>(-1)),
                       "ipuflow: an image is to have a frame of 18446744073709551615 zeros on each side; give a padding of at most "
                       "4294967296",
                       ipuflow::error);
}

}  // namespace crop_test
