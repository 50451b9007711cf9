// SPDX-License-Identifier: BSL-1.0
// What the IPU model predicts for published measurements, row by row: the table of docs/ipu_model.md.
#include <ipuflow/ipu/validation.hpp>

#include <cstdio>

using namespace ipuflow;

int main() {
  constexpr const char* notes[] = {"", "  a constant is fitted to it", "  an upper bound"};
  std::printf("%-4s %-40s %-7s %11s %11s %9s\n", "row", "what", "unit", "measured", "predicted", "error");
  for (const ipu::validation_row& r : ipu::validation()) {
    const int digits = r.measured < 1e5 ? 6 : 9;
    std::printf("%-4s %-40s %-7s %11.*g %11.*g %+8.1f%%%s\n", r.id.data(), r.what.data(), r.unit.data(), digits,
                r.measured, digits, r.predicted, 100 * r.error(), notes[static_cast<std::size_t>(r.from)]);
  }
  std::printf("\nnot predicted\n");
  for (const ipu::unpredicted_row& r : ipu::unpredicted)
    std::printf("%-4s %-40s %-19s %s\n", r.id.data(), r.what.data(), r.measured.data(), r.reason.data());
}
