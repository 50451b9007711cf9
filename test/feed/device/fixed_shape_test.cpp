// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/fixed_shape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fixed_shape_test {

using namespace ipuflow;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

TEST_CASE("what has no size has no extents, and any value of it fits") {
  fixed_shape shape;
  CHECK_FALSE(shape.check(3.0));
  CHECK_FALSE(shape.check(4.0));
  CHECK(shape.extents().empty());
}

TEST_CASE("extents are found through tuples and ranges") {
  using sample = std::tuple<std::vector<std::array<float, 4>>, int, std::pair<std::vector<int>, char>>;
  fixed_shape shape;
  CHECK_FALSE(shape.check(sample{{{}, {}, {}}, 1, {{1, 2}, 'x'}}));
  CHECK(shape.extents() == std::vector<std::size_t>{3, 4, 2});
  CHECK_FALSE(shape.check(sample{{{}, {}, {}}, 2, {{3, 4}, 'y'}}));
  const auto wrong = shape.check(sample{{{}, {}, {}}, 2, {{3, 4, 5}, 'y'}});
  CHECK(wrong == infeed_fault{infeed_wrong::shape_changes, 3, 2, feed_place{2, 2}});
  CHECK(message(wrong).view() ==
        "ipuflow: extent 2 of infeed element 2 is 3 but was 2 in the first; drop or pad what has another shape, such "
        "as a "
        "last short batch");
}

TEST_CASE("items of one range have one shape, in the first element too") {
  using rows = std::vector<std::vector<int>>;
  fixed_shape shape;
  CHECK_FALSE(shape.check(rows{{1, 2}, {3, 4}}));
  CHECK(shape.extents() == std::vector<std::size_t>{2, 2});
  CHECK(shape.check(rows{{1, 2}, {3}}) ==
        infeed_fault{infeed_wrong::shape_changes, 1, 2, feed_place{1, 1}});
  CHECK(fixed_shape{}.check(rows{{1, 2}, {3}}).kind == infeed_wrong::shape_changes);
  CHECK(fixed_shape{}.check(rows{{1, 2}, {}}).kind == infeed_wrong::empty_dimension);
  CHECK_FALSE(fixed_shape{}.check(std::vector<std::pair<std::vector<int>, char>>{{{1, 2}, 'a'}, {{3, 4}, 'b'}}));
}

TEST_CASE("an extent of 0 is wrong, in the first element too") {
  fixed_shape shape;
  const auto wrong = shape.check(std::vector<std::vector<int>>{{}});
  CHECK(wrong == infeed_fault{infeed_wrong::empty_dimension, 0, 1, feed_place{0, 1}});
  CHECK(message(wrong).view() == "ipuflow: extent 1 of infeed element 0 is 0; feed elements that hold something");
  CHECK(fixed_shape{}.check(std::vector<int>{}).kind == infeed_wrong::empty_dimension);
}

}  // namespace fixed_shape_test
