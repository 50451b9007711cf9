// SPDX-License-Identifier: BSL-1.0
// Predictions for published measurements, row by row: the table of docs/chips.md, the errors of each class of programs, and the
// constants that are fitted. Ends with 1 if errors are not those that plans print beside their figures.
#include <validation/rows.hpp>

#include <cmath>
#include <cstdio>
#include <string_view>

using namespace validation;

namespace {

void print(const validation_row& r) {
  const int digits = r.measured < 1e5 ? 6 : 9;
  std::printf("%-4s %-40s %-7s %11.*g %11.*g %+8.1f%%", r.id.data(), r.what.data(), r.unit.data(), digits, r.measured, digits,
              r.predicted, 100 * r.error());
  if (r.upper_bound) std::printf("  an upper bound");
  for (const fitted_constant& c : fitted_constants) {
    if (c.is == r.constant) std::printf("  a constant is fitted to it: %s", c.what.data());
  }
  std::printf("\n");
}

}  // namespace

int main() {
  const std::vector<validation_row> all = rows();
  std::printf("%-4s %-40s %-7s %11s %11s %9s\n", "row", "what", "unit", "measured", "predicted", "error");
  for (const validation_row& r : all) print(r);

  std::printf("\n%-24s %5s %8s %8s\n", "error of", "rows", "median", "worst");
  bool differs = false;
  for (std::size_t c = 0; c < report::known_errors.size(); ++c) {
    const report::known_error& known = report::known_errors[c];
    const class_errors found = errors_of(static_cast<row_class>(c), all);
    std::printf("%-24s %5zu %7.1f%% %+7.1f%%  %s\n", known.of.data(), found.rows, 100 * found.median, 100 * found.worst.error(), found.worst.id.data());
    const auto same = [](double printed, double part) { return std::abs(printed - 100 * part) < 0.051; };
    differs = differs || known.rows != found.rows || known.row != found.worst.id || !same(known.median, found.median) || !same(known.worst, found.worst.error());
  }
  if (differs) std::printf("report/plans/known_errors.hpp says otherwise\n");

  std::printf("\n%zu constants are fitted\n", fitted_constants.size());
  for (const fitted_constant& c : fitted_constants) std::printf("%-28s %s\n", c.row.data(), c.what.data());

  std::printf("\nnot predicted\n");
  for (const unpredicted_row& r : unpredicted)
    std::printf("%-4s %-40s %-19s %s\n", r.id.data(), r.what.data(), r.measured.data(), r.reason.data());
  return differs ? 1 : 0;
}
