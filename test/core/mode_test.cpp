// SPDX-License-Identifier: BSL-1.0
// A description says what it is run for.
#include <ipuflow/core/mode.hpp>

#include <doctest/doctest.h>

namespace mode_test {

using namespace ipuflow;

static_assert(training(3).run_for == mode::training && training(3).described == 3);
static_assert(inference('x').run_for == mode::inference && inference('x').described == 'x');

TEST_CASE("training is what one gets without a word") { CHECK(with_mode<int>{}.run_for == mode::training); }

}  // namespace mode_test
