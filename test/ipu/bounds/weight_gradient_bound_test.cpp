// SPDX-License-Identifier: BSL-1.0
// The law: whatever plan the planner takes takes no more than the bound, and nearly always just that.
#include <ipuflow/ipu/bounds/weight_gradient_bound.hpp>

#include "random_convolutions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace weight_gradient_bound_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("the gradient of a convolution's weights takes no more than its bound") {
  random_convolutions::source random(2);
  std::size_t same = 0;
  constexpr std::size_t count = 1500;
  for (std::size_t n = 0; n < count; ++n) {
    const auto [chip, s, memory] = random.next();
    const ipu::impl::weight_gradient_plan p = plan_weight_gradient(chip, s, chip.tiles, memory);
    const operation_bound b = weight_gradient_bound(chip, s, chip.tiles, memory);
    INFO(random_convolutions::text({chip, s, memory}));
    CHECK(p.temporary.value <= b.temporary);
    CHECK(p.pieces - p.partials() <= b.pieces);
    CHECK(b.sums <= p.partials() + 1);
    CHECK(b.sums * b.sums >= (p.partials() == 1 ? 0 : p.partials()));  // in two steps, or in one
    same += p.temporary.value == b.temporary && p.pieces - p.partials() == b.pieces ? 1u : 0u;
  }
  CHECK(same > count * 98 / 100);
}

constexpr conv_shape second{.batch = 64,
                            .in_channels = 10,
                            .rows = 12,
                            .columns = 12,
                            .out_channels = 20,
                            .kernel_rows = 5,
                            .kernel_columns = 5,
                            .type = amp_precision::half_float};
static_assert(weight_gradient_bound(mk2, second, mk2.tiles, {383'385}).temporary < 40'000);  // a constant expression

}  // namespace weight_gradient_bound_test
