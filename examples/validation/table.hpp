// SPDX-License-Identifier: BSL-1.0
// The table of docs/chips.md: every row beside its measurement, the errors of each class of programs, and the constants that are
// fitted. The program prints it, and the test of the rows, which counts the same networks, prints it for that program.
#pragma once

#include <validation/rows.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>

namespace validation {

inline void print_row(std::FILE* to, const validation_row& r) {
  const int digits = r.measured < 1e5 ? 6 : 9;
  std::fprintf(to, "%-4s %-40s %-7s %11.*g %11.*g %+8.1f%%", r.id.data(), r.what.data(), r.unit.data(), digits, r.measured, digits,
              r.predicted, 100 * r.error());
  if (r.upper_bound) std::fprintf(to, "  an upper bound");
  for (const fitted_constant& c : fitted_constants) {
    if (c.is == r.constant) std::fprintf(to, "  a constant is fitted to it: %s", c.what.data());
  }
  std::fprintf(to, "\n");
}

/// Whether the errors are those that plans print beside their figures, behind a table that says so.
inline bool print_table(std::FILE* to, std::span<const validation_row> all) {
  std::fprintf(to, "%-4s %-40s %-7s %11s %11s %9s\n", "row", "what", "unit", "measured", "predicted", "error");
  for (const validation_row& r : all) print_row(to, r);

  std::fprintf(to, "\n%-24s %5s %8s %8s\n", "error of", "rows", "median", "worst");
  bool differs = false;
  for (std::size_t c = 0; c < report::known_errors.size(); ++c) {
    const report::known_error& known = report::known_errors[c];
    const class_errors found = errors_of(static_cast<row_class>(c), all);
    std::fprintf(to, "%-24s %5zu %7.1f%% %+7.1f%%  %s\n", known.of.data(), found.rows, 100 * found.median, 100 * found.worst.error(), found.worst.id.data());
    const auto same = [](double printed, double part) { return std::abs(printed - 100 * part) < 0.051; };
    differs = differs || known.rows != found.rows || known.row != found.worst.id || !same(known.median, found.median) || !same(known.worst, found.worst.error());
  }
  if (differs) std::fprintf(to, "report/plans/known_errors.hpp says otherwise\n");

  std::fprintf(to, "\n%zu constants are fitted\n", fitted_constants.size());
  for (const fitted_constant& c : fitted_constants) std::fprintf(to, "%-28s %s\n", c.row.data(), c.what.data());

  std::fprintf(to, "\nnot predicted\n");
  for (const unpredicted_row& r : unpredicted)
    std::fprintf(to, "%-4s %-40s %-19s %s\n", r.id.data(), r.what.data(), r.measured.data(), r.reason.data());
  return !differs;
}

}  // namespace validation
