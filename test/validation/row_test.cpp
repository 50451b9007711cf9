// SPDX-License-Identifier: BSL-1.0
#include <validation/row.hpp>

#include <doctest/doctest.h>

namespace row_test {

using namespace validation;

TEST_CASE("errors are relative to what was measured; of an upper bound only what is above it") {
  constexpr validation_row row{"X", "row", "s", 2, 3};
  static_assert(row.error() == 0.5);
  static_assert(validation_row{"X", "row", "s", 4, 3}.error() == -0.25);
  static_assert(validation_row{"X", "row", "s", 4, 3, basis::upper_bound}.error() == 0);
  static_assert(validation_row{"X", "row", "s", 2, 3, basis::upper_bound}.error() == 0.5);
  CHECK(row.from == basis::derived);
}

}  // namespace row_test
