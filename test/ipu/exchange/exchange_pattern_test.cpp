// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/exchange/exchange_pattern.hpp>

#include <doctest/doctest.h>

#include <set>
#include <vector>

namespace exchange_pattern_test {

using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("the bound is the busiest sender or receiver, a multicast counting once where it leaves") {
  exchange_pattern p(8);
  p.add(0, std::vector<std::size_t>{1, 2, 3}, 10);
  CHECK(lower_bound(p) == 10);
  p.add(4, 1, 7);
  CHECK(lower_bound(p) == 17);
  p.add(0, 5, 9);
  CHECK(lower_bound(p) == 19);
  p.add(6, 6, 1000);  // stays
  p.add(6, 7, 0);     // nothing
  CHECK(lower_bound(p) == 19);
  CHECK(p.size() == 3);
  CHECK(p.word_total() == 46);
}

TEST_CASE("sets of receivers in one layer do not meet, and every chosen message is in one layer") {
  exchange_pattern p(12);
  p.add(0, std::vector<std::size_t>{1, 2, 3}, 10);
  p.add(5, std::vector<std::size_t>{3, 2, 1}, 4);
  p.add(6, std::vector<std::size_t>{3, 4}, 8);
  p.add(7, std::vector<std::size_t>{8, 9}, 2);
  const auto layers = layers_of(p, {true, true, true, true});
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].groups == 2);
  CHECK(layers[0].messages.size() == 3);
  CHECK(layers[1].messages.size() == 1);
  CHECK(layers[1].messages[0].first == 2);
  CHECK(layers_of(p, {false, false, false, false}).empty());
}

}  // namespace exchange_pattern_test
