// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/images/image.hpp>
#include <ipuflow/feed/dataset.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace image_test {

using namespace ipuflow::feed;

using two_by_three = image_extents<1, 2, 3>;
using array_image = image<std::array<int, 6>, two_by_three>;
constexpr array_image numbered{{1, 2, 3, 4, 5, 6}, {}};
static_assert(numbered(0, 0, 2) == 3 && numbered(0, 1, 0) == 4 && numbered.size() == 6);
static_assert(numbered.channels() == 1 && numbered.height() == 2 && numbered.width() == 3);
static_assert(sizeof(array_image) == sizeof(std::array<int, 6>));  // so that many of them are memory of a device
static_assert(std::is_same_v<field_t<array_image>, std::span<const int, 6>>);
static_assert(std::is_same_v<field_t<image<std::vector<float>, image_extents<>>>, std::span<const float>>);
static_assert(contiguous_samples<std::vector<array_image>> && !contiguous_samples<std::vector<image<std::vector<int>, image_extents<>>>>);

TEST_CASE("extents may be numbers; channels are apart, rows within them") {
  const std::vector<int> memory{1, 2, 3, 4, 5, 6, 7, 8};
  const image<std::span<const int>, image_extents<>> seen{memory, {2, 2, 2}};
  CHECK(seen(1, 0, 1) == 6);
  CHECK(seen.data() == memory.data());
  CHECK(*seen.row_of(1, 1) == 7);
  int sum = 0;
  for (const int element : seen) sum += element;
  CHECK(sum == 36);
}

TEST_CASE("images in an array are one column") {
  const std::vector<array_image> all_of(4, numbered);
  const auto batch = whole(all_of);
  CHECK(std::get<0>(batch).elements().size() == 24);
  CHECK(std::get<0>(batch)[3][5] == 6);
}

TEST_CASE("elements and extents have to agree, and no extent is nothing") {
  using view = image<std::span<const int>, image_extents<>>;
  const std::vector<int> memory(8);
  CHECK_THROWS_WITH_AS((view{memory, {1, 2, 3}}),
                       "ipuflow: a sample has 8 elements but an image of these extents has 6; give images() the extents of "
                       "the dataset",
                       ipuflow::error);
  CHECK_THROWS_WITH_AS((image_extents<>{3, 0, 2}),
                       "ipuflow: an image has an extent of 0; give channels, height and width at least 1", ipuflow::error);
}

TEST_CASE("extents of more elements than can be counted are refused: their number was that of no elements") {
  CHECK_THROWS_AS((image_extents<>{std::size_t{1} << 32, std::size_t{1} << 32, 1}), ipuflow::rejected<ipuflow::arithmetic_fault>);
}

}  // namespace image_test
