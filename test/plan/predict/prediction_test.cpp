// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/prediction.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace prediction_test {

using namespace ipuflow;
using plan::time_use;

TEST_CASE("a step is bound by the use that takes most of it, and the chip whose fullest tile is fullest is named") {
  plan::prediction p{.total = {2'000}, .clock = {1e6}, .samples = 8};
  for (std::size_t use = 0; use < plan::time_uses; ++use) {
    p.by_use = {};
    p.by_use[use] = {1};
    CHECK(p.bound() == static_cast<time_use>(use));
    CHECK(p[p.bound()] == cycles{1});
    for (std::size_t other = 0; other < use; ++other) CHECK(name_of(static_cast<time_use>(use)) != name_of(static_cast<time_use>(other)));
  }
  CHECK(p.samples_per_second() == doctest::Approx(4'000));
  p.memory.resize(3);
  p.memory[1].bytes[plan::memory_use::weights] = 5;
  p.memory[2].bytes[plan::memory_use::vertex_code] = 4;
  CHECK(p.fullest() == 1);
  CHECK(plan::prediction{}.samples_per_second() == 0);  // and is a number
  CHECK(plan::prediction{}.time().value == 0);
}

}  // namespace prediction_test
