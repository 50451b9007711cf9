// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/validation_models.hpp>

#include <doctest/doctest.h>

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("a layer takes at least its multiply-adds, twice as many going back, and more on a slower chip") {
  const transformer_layer l;
  const std::size_t rows = l.micro_batch * l.sequence;
  const std::size_t macs = rows * (4 * l.hidden * l.hidden + 2 * l.hidden * l.inner) + 2 * rows * l.sequence * l.hidden;
  const pass_cycles one = layer_cycles(bow, l, 150'000_B);
  const std::size_t ideal = macs / bow.tiles / macs_per_cycle(bow, precision::half_half);
  CHECK(one.forward.value > ideal);
  CHECK(one.backward.value > 2 * ideal);
  CHECK(one.forward.value < 4 * ideal);
  CHECK(stage_slot(mk2, l, 7, 0.25).value / stage_slot(bow, l, 7, 0.25).value == doctest::Approx(1.85 / 1.325));
  CHECK(stage_slot(bow, l, 14, 0.25).value == doctest::Approx(2 * stage_slot(bow, l, 7, 0.25).value));
}

TEST_CASE("the published slots are met within a fifth, with nothing fitted") {
  const double slot = stage_slot(bow, {}, 7, 0.25).value;
  CHECK(slot == doctest::Approx(7.069e-3).epsilon(0.20));
  CHECK(slot == doctest::Approx(6.18e-3).epsilon(0.20));
}
