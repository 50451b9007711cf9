// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/configuration.hpp>

#include <doctest/doctest.h>

namespace configuration_test {

using namespace ipuflow;

TEST_CASE("samples of a step are those of all replicas, micro-batches and iterations") {
  constexpr plan::numbers half = plan::numbers::f16_16;
  const plan::configuration c{.ipus = 4, .replicas = 3, .micro_batch = 5, .accumulation = 7, .device_iterations = 2, .precision = half};
  CHECK(c.chips() == 12);
  CHECK(c.samples_per_step() == 3 * 5 * 7 * 2);
  static_assert(plan::name_of(half) == "16.16" && plan::name_of(plan::numbers::f32_32) == "32.32" && plan::name_of(plan::numbers::f16_32) == "16.32");
}

}  // namespace configuration_test
