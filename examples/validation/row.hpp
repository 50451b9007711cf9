// SPDX-License-Identifier: BSL-1.0
// One published measurement beside what the library predicts for it, the constants of the model that are fitted to such rows, and
// the errors of all rows of a class.
#pragma once

#include <ipuflow/report/plans/known_errors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace validation {

/// The kind of program, or of memory, that a row is about.
using row_class = ipuflow::report::measured_class;

/// A constant of the model that is found from a row, and not derived.
enum class fitted : unsigned char { none, array_call, sync_of_mk1, host_share, streaming, python_call, array_code };
struct fitted_constant {
  fitted is;
  std::string_view what;
  std::string_view row;  // whose measurement it is found from
};
inline constexpr std::array fitted_constants{
    fitted_constant{fitted::array_call, "cycles around a call of the array's codelets", "M"},
    fitted_constant{fitted::sync_of_mk1, "cycles of a sync of mk1; the latency of an exchange is half of it", "H6"},
    fitted_constant{fitted::host_share, "bytes a second of one chip through its machine's port", "S1"},
    fitted_constant{fitted::python_call, "seconds to start a step from Python", "P, state on chip"},
    fitted_constant{fitted::streaming, "bytes a second of a machine's streaming memory", "P, state off chip"},
    fitted_constant{fitted::array_code, "bytes of the array's codelets", "B3, product, vertex code"}};

struct validation_row {
  std::string_view id{};
  std::string_view what{};
  std::string_view unit{};
  double measured = 0;
  double predicted = 0;
  row_class of = row_class::codelets;
  fitted constant = fitted::none;
  bool upper_bound = false;

  /// Relative; of an upper bound only what is above it.
  constexpr double error() const {
    const double e = predicted / measured - 1;
    return upper_bound && e < 0 ? 0 : e;
  }
};

/// The errors of the rows of a class: the median of their sizes, and the row with the largest.
struct class_errors {
  std::size_t rows = 0;
  double median = 0;
  validation_row worst{};
};
inline class_errors errors_of(row_class which, std::span<const validation_row> all) {
  class_errors found;
  std::vector<double> sizes;
  for (const validation_row& r : all) {
    if (r.of != which) continue;
    sizes.push_back(std::abs(r.error()));
    if (sizes.size() == 1 || sizes.back() > std::abs(found.worst.error())) found.worst = r;
  }
  std::sort(sizes.begin(), sizes.end());
  found.rows = sizes.size();
  if (!sizes.empty()) found.median = (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2;
  return found;
}

}  // namespace validation
