// SPDX-License-Identifier: BSL-1.0
// That the numbers are those of the rows is held by the test of the rows, validation.rows, which works them out.
#include <ipuflow/report/plans/known_errors.hpp>

#include <doctest/doctest.h>

namespace known_errors_test {

using namespace ipuflow;
using report::measured_class;

TEST_CASE("every class has its errors, and the worst is no better than the median") {
  CHECK(report::error_of(measured_class::parameters).of == "numbers of parameters");
  for (const report::known_error& e : report::known_errors) {
    CHECK(e.rows > 0);
    CHECK((e.worst < 0 ? -e.worst : e.worst) >= e.median);
  }
}

TEST_CASE("bytes of each use are of a class of memory") {
  CHECK(report::class_of(plan::memory_use::weights) == measured_class::variables);
  CHECK(report::class_of(plan::memory_use::activations) == measured_class::variables);
  CHECK(report::class_of(plan::memory_use::vertex_code) == measured_class::state_and_code);
  CHECK(report::class_of(plan::memory_use::exchange_code) == measured_class::exchange_code);
  CHECK(report::class_of(plan::memory_use::stack) == measured_class::state_and_code);
}

}  // namespace known_errors_test
