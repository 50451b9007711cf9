// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/walk_times.hpp>

#include <doctest/doctest.h>

namespace walk_times_test {

using namespace ipuflow::ipu::impl;

TEST_CASE("a span goes from the first begin to the last end, in any order") {
  time_span a, b;
  a.add({5, 9});
  a.add({3, 4});
  b.add({3, 4});
  b.add({5, 9});
  CHECK(a.begin == 3);
  CHECK(a.end == 9);
  CHECK(b.begin == a.begin);
  CHECK(b.end == a.end);
}

TEST_CASE("a turn shifts all times that it moves by one amount, or by none") {
  const moment before{{10, 20, 30}, {}};
  CHECK(shift_of(before, moment{{15, 25, 35}, {}}) == 5);
  CHECK(shift_of(before, moment{{15, 20, 35}, {}}) == 5);
  CHECK(shift_of(before, before) == 0);
  CHECK_FALSE(shift_of(before, moment{{15, 25, 36}, {}}));
}

}  // namespace walk_times_test
