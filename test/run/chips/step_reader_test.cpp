// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/step_reader.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "each_table.hpp"

namespace step_reader_test {

using namespace ipuflow;
using namespace ipuflow::run::impl;
using chips_tables::each_table;

TEST_CASE(
    "the steps are all operations, each once, in the order of each IPU, with what they read made in a step before") {
  each_table(4, 16, [](const schedule::table& t) {
    std::size_t seen = 0;
    std::vector<std::size_t> at(t.where.ipus);
    std::vector<std::size_t> made(t.where.stages * t.where.micro_batches, schedule::nowhere);
    bool right = true;
    for (step_reader steps(t); steps.next();) {
      std::size_t here = 0;
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        for (const schedule::placed& o : steps.of(ipu)) {
          right = right && o == t.rows[ipu][at[ipu]++];
          ++here;
          if (o.kind != schedule::pass::forward) continue;
          made[o.stage * t.where.micro_batches + o.micro_batch] = steps.number();
          if (o.stage > 0)
            right = right && made[(o.stage - 1) * t.where.micro_batches + o.micro_batch] < steps.number();
        }
      }
      right = right && here > 0;  // no step is empty
      seen += here;
    }
    CHECK(right);
    CHECK(seen == schedule::operations(t));
  });
}

}  // namespace step_reader_test
