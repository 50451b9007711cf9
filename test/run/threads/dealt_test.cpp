// SPDX-License-Identifier: BSL-1.0
// How lanes are dealt out is tested in dealing_test.cpp; here, that what is dealt can be compared and written down.
#include <ipuflow/run/threads/dealt.hpp>

#include <doctest/doctest.h>

namespace dealt_test {

using ipuflow::run::dealt;

TEST_CASE("Lanes are dealt out thread by thread") {
  const dealt lanes{{0, 1}, {2}};
  CHECK(lanes.size() == 2);
  CHECK(lanes[0].size() == 2);
  CHECK(lanes != dealt{{0}, {1, 2}});
}

}  // namespace dealt_test
