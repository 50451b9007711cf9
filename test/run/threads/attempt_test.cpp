// SPDX-License-Identifier: BSL-1.0
// What executors make of these words is tested in itinerary_test.cpp and executor_test.cpp.
#include <ipuflow/run/threads/attempt.hpp>

#include <doctest/doctest.h>

namespace attempt_test {

using namespace ipuflow;

TEST_CASE("Progress without a word is none, and nothing stands in its way") {
  constexpr run::progress none;
  static_assert(none.done == 0 && none.next == run::attempt::done);
  CHECK(none.done == 0);
  CHECK(none.next == run::attempt::done);
}

}  // namespace attempt_test
