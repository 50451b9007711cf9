// SPDX-License-Identifier: BSL-1.0
// What the IPU model predicts for published measurements, row by row: the table of docs/ipu_model.md.
#include <ipuflow/ipu/validation.hpp>

#include <cstdio>

using namespace ipuflow;

int main() {
  constexpr const char* notes[] = {"", "a constant is fitted to it", "an upper bound"};
  std::printf("%-4s %-40s %-7s %10s %10s %8s\n", "row", "what", "unit", "measured", "predicted", "error");
  for (const ipu::validation_row& r : ipu::validation()) {
    std::printf("%-4s %-40s %-7s %10.6g %10.6g %+7.1f%%  %s\n", r.id.data(), r.what.data(), r.unit.data(), r.measured,
                r.predicted, 100 * r.error(), notes[static_cast<std::size_t>(r.from)]);
  }
}
