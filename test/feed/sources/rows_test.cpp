// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/rows.hpp>

#include <ipuflow/core/light_span.hpp>

#include <doctest/doctest.h>

#include <span>
#include <type_traits>
#include <vector>

namespace rows_test {

using namespace ipuflow::feed;

constexpr float six[] = {1, 2, 3, 4, 5, 6};
static_assert(rows<3, 1>(six).size() == 2 && rows<3>(six)[1][0] == 4);
static_assert(rows(six, 2).size() == 3 && rows(six, 2)[2].size() == 2);
static_assert(std::is_same_v<sample_t<decltype(rows<1, 2, 3>(six))>, std::span<const float, 6>>);
static_assert(contiguous_samples<decltype(rows<2>(six))>);

TEST_CASE("rows are the memory that they were given") {
  std::vector<float> pixels(12);
  const auto d = rows<2, 2>(pixels);
  pixels[5] = 3;
  CHECK(d[1][1] == 3);
  CHECK(std::get<0>(whole(d)).data() == pixels.data());
  const std::vector<float> none;
  CHECK(rows<4>(none).size() == 0);
  CHECK(rows(std::span{pixels}.first(4), 2).size() == 2);
  CHECK(rows<2>(ipuflow::light_span<const float>{pixels}).size() == 6);
}

}  // namespace rows_test
