// SPDX-License-Identifier: BSL-1.0
// Nothing but the header, so that it is seen to be enough.
#include <ipuflow/core/clock.hpp>

using namespace std::chrono_literals;
static_assert(ipuflow::steady_clock::is_steady);
static_assert(std::chrono::duration_cast<std::chrono::nanoseconds>(1us) == 1000ns);
static_assert(std::chrono::duration<double>(1s).count() == 1.0);

#include <doctest/doctest.h>

namespace clock_test {

TEST_CASE("the clock never goes back") {
  const auto before = ipuflow::steady_clock::now();
  CHECK(ipuflow::steady_clock::now() - before >= 0ns);
}

}  // namespace clock_test
