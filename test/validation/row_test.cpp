// SPDX-License-Identifier: BSL-1.0
#include <validation/row.hpp>

#include <doctest/doctest.h>

#include <array>

namespace row_test {

using namespace validation;

TEST_CASE("errors are relative to what was measured; of an upper bound only what is above it") {
  constexpr validation_row row{"X", "row", "s", 2, 3};
  static_assert(row.error() == 0.5);
  static_assert(validation_row{"X", "row", "s", 4, 3}.error() == -0.25);
  static_assert(validation_row{.measured = 4, .predicted = 3, .upper_bound = true}.error() == 0);
  static_assert(validation_row{.measured = 2, .predicted = 3, .upper_bound = true}.error() == 0.5);
  CHECK(row.constant == fitted::none);
}

TEST_CASE("of a class the median of the errors' sizes, and the row with the largest, whatever its sign") {
  const auto row = [](std::string_view id, double predicted, row_class of) {
    return validation_row{.id = id, .measured = 10, .predicted = predicted, .of = of};
  };
  const std::array all{row("a", 11, row_class::transfers), row("b", 6, row_class::transfers), row("c", 12, row_class::transfers),
                       row("d", 99, row_class::stencils), row("e", 10, row_class::transfers)};
  const class_errors found = errors_of(row_class::transfers, all);
  CHECK(found.rows == 4);
  CHECK(found.median == doctest::Approx(0.15));  // of 0, 0.1, 0.2 and 0.4
  CHECK(found.worst.id == "b");
  CHECK(errors_of(row_class::stencils, all).median == doctest::Approx(8.9));
  CHECK(errors_of(row_class::variables, all).rows == 0);
}

TEST_CASE("the list of constants has each once, and no more than there were") {
  CHECK(fitted_constants.size() <= 7);
  for (std::size_t i = 0; i < fitted_constants.size(); ++i) CHECK(static_cast<std::size_t>(fitted_constants[i].is) > 0);
  for (std::size_t i = 0; i < fitted_constants.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(fitted_constants[i].is != fitted_constants[j].is);
  }
}

}  // namespace row_test
