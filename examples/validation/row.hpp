// SPDX-License-Identifier: BSL-1.0
// One published measurement beside what the library predicts for it.
#pragma once

#include <string_view>

namespace validation {

enum class basis : unsigned char { derived, fitted, upper_bound };

struct validation_row {
  std::string_view id;
  std::string_view what;
  std::string_view unit;
  double measured = 0;
  double predicted = 0;
  basis from = basis::derived;

  /// Relative; of an upper bound only what is above it.
  constexpr double error() const {
    const double e = predicted / measured - 1;
    return from == basis::upper_bound && e < 0 ? 0 : e;
  }
};

}  // namespace validation
