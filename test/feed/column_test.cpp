// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/column.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace column_test {

using namespace ipuflow;
using namespace ipuflow::feed;

static_assert(std::is_same_v<field_t<std::span<float, 4>>, std::span<const float, 4>>);
static_assert(std::is_same_v<field_t<std::array<half, 4>>, std::span<const half, 4>>);
static_assert(std::is_same_v<field_t<const std::vector<int>&>, std::span<const int>>);
static_assert(std::is_same_v<field_t<std::vector<bool>>, std::vector<bool>>);
static_assert(std::is_same_v<field_t<std::vector<std::string>>, std::vector<std::string>>);
static_assert(std::is_same_v<field_t<const unsigned char&>, unsigned char>);

static_assert(std::is_same_v<field_t<std::array<std::array<float, 4>, 3>>, std::span<const float, 12>>);
static_assert(std::is_same_v<field_t<std::array<std::string, 3>>, std::array<std::string, 3>>);

constexpr float numbers[] = {0, 1, 2, 3, 4, 5};
constexpr column_view<std::span<const float, 2>> pairs{numbers, 3};
static_assert(pairs.size() == 3 && pairs.width() == 2 && pairs[2][1] == 5 && pairs.elements().size() == 6);
static_assert(pairs.part(1, 2)[0][0] == 2 && pairs.part(1, 2).size() == 2 && pairs.size_bytes() == 24_B);
constexpr column_view<std::span<const float>> triples{numbers, 2, 3};
static_assert(triples[1].size() == 3 && triples[1][0] == 3);
constexpr column_view<float> singles{numbers, 6};
static_assert(singles[4] == 4 && singles.width() == 1);

TEST_CASE("a column shows the memory that it was given") {
  CHECK(pairs.data() == numbers);
  CHECK(pairs[1].data() == numbers + 2);
  CHECK(&singles[3] == numbers + 3);
  CHECK(column_view<float>{}.elements().empty());
}

}  // namespace column_test
