// SPDX-License-Identifier: BSL-1.0
// Predictions for published measurements, row by row: the table of docs/chips.md.
#include <validation/rows.hpp>

#include <cstdio>

using namespace ipuflow;

int main() {
  constexpr const char* notes[] = {"", "  a constant is fitted to it", "  an upper bound"};
  std::printf("%-4s %-40s %-7s %11s %11s %9s\n", "row", "what", "unit", "measured", "predicted", "error");
  for (const validation::validation_row& r : validation::rows()) {
    const int digits = r.measured < 1e5 ? 6 : 9;
    std::printf("%-4s %-40s %-7s %11.*g %11.*g %+8.1f%%%s\n", r.id.data(), r.what.data(), r.unit.data(), digits,
                r.measured, digits, r.predicted, 100 * r.error(), notes[static_cast<std::size_t>(r.from)]);
  }
  std::printf("\nnot predicted\n");
  for (const validation::unpredicted_row& r : validation::unpredicted)
    std::printf("%-4s %-40s %-19s %s\n", r.id.data(), r.what.data(), r.measured.data(), r.reason.data());
}
