// SPDX-License-Identifier: BSL-1.0
// Seats and IPUs of the three layouts are inverse to each other, and every IPU has the same number of chunks.
#include <ipuflow/schedule/forms/grid.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace grid_test {

using namespace ipuflow::schedule;

static_assert(grid{4, 8, 2, layout::loop}.ipu_of(5, 0) == 1);
static_assert(grid{4, 8, 2, layout::vee}.ipu_of(4, 0) == 3 && grid{4, 8, 2, layout::vee}.ipu_of(7, 0) == 0);
static_assert(grid{4, 4, 2, layout::mirrored}.ipu_of(1, 0) == 1 && grid{4, 4, 2, layout::mirrored}.ipu_of(1, 1) == 2);

TEST_CASE("each stage is on the IPU that has it as a chunk") {
  for (const layout kind : {layout::loop, layout::vee, layout::mirrored}) {
    for (std::size_t ipus = 2; ipus <= 8; ipus += 2) {
      const grid where{ipus, kind == layout::mirrored ? ipus : 3 * ipus, 4, kind};
      std::size_t seats = 0;
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
        for (std::size_t chunk = 0; chunk < where.chunks(ipu); ++chunk) {
          const std::size_t stage = where.stage_of(ipu, chunk);
          const std::size_t m = 2 * where.direction_of(chunk);
          CHECK(where.ipu_of(stage, m) == ipu);
          CHECK(where.seat_of(ipu, stage, m) == stage);
          CHECK(where.seat_of((ipu + 1) % ipus, stage, m) == nowhere);
          ++seats;
        }
      }
      CHECK(seats == where.stages * where.directions());
    }
  }
}

}  // namespace grid_test
