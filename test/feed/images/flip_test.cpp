// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/images/flip.hpp>
#include <ipuflow/feed/images/images.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "feed/images/same.hpp"

namespace flip_test {

using namespace ipuflow::feed;

constexpr auto picture = std::to_array({std::array{1, 2, 3, 4, 5, 6}});
constexpr auto left_right = picture | images<1, 2, 3>() | flip();
constexpr auto upside_down = picture | images<1, 2, 3>() | flip(mirror::upside_down);
static_assert(same(left_right[0].elements(), std::array{3, 2, 1, 6, 5, 4}));
static_assert(same(upside_down[0].elements(), std::array{4, 5, 6, 1, 2, 3}));
static_assert(same((left_right | flip())[0].elements(), picture[0]));
static_assert(same((upside_down | flip(mirror::upside_down))[0].elements(), picture[0]));
static_assert(same((picture | images<2, 1, 3>() | flip())[0].elements(), std::array{3, 2, 1, 6, 5, 4}));
static_assert(same((picture | images<3, 1, 2>() | flip(mirror::upside_down))[0].elements(), picture[0]));
static_assert(same((picture | images<1, 2, 3>() | flip_at_random(1, mirror::left_right, 1))[0].elements(), left_right[0].elements()));
static_assert(same((picture | images<1, 2, 3>() | flip_at_random(1, mirror::left_right, 0))[0].elements(), picture[0]));

TEST_CASE("images of extents that are numbers are flipped as others are, and back") {
  const std::vector<std::vector<float>> pictures{{1, 2, 3, 4, 5, 6, 7, 8}};
  for (const mirror way : {mirror::left_right, mirror::upside_down}) {
    const auto once = pictures | images(2, 2, 2) | flip(way);
    CHECK(once[0].elements() != pictures[0]);
    CHECK((once | flip(way))[0].elements() == pictures[0]);
  }
}

TEST_CASE("about as many are flipped as the chance says, others in each epoch") {
  const std::vector<std::array<int, 2>> pictures(2000, {1, 2});
  for (const double chance : {0.5, 0.1}) {
    const auto d = pictures | images<1, 1, 2>() | flip_at_random(3, mirror::left_right, chance);
    std::size_t first = 0, second = 0, both = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      const bool at_first = d.sample(i, 0)(0, 0, 0) == 2, later = d.sample(i, 1)(0, 0, 0) == 2;
      first += at_first ? 1 : 0;
      second += later ? 1 : 0;
      both += at_first && later ? 1 : 0;
    }
    CHECK(static_cast<double>(first) == doctest::Approx(2000 * chance).epsilon(0.2));
    CHECK(static_cast<double>(second) == doctest::Approx(2000 * chance).epsilon(0.2));
    CHECK(static_cast<double>(both) == doctest::Approx(2000 * chance * chance).epsilon(0.5));  // independent
  }
}

TEST_CASE("a chance is between 0 and 1") {
  for (const double wrong : {-0.1, 1.1}) {
    CHECK_THROWS_WITH_AS((void)flip_at_random(1, mirror::left_right, wrong),
                         "ipuflow: the chance of a flip is not between 0 and 1; give one that is, 0.5 flips every other "
                         "image",
                         ipuflow::error);
  }
}

}  // namespace flip_test
