// SPDX-License-Identifier: BSL-1.0
// The law: whatever plan the planner takes holds no more than the bound, of many shapes.
#include <ipuflow/ipu/bounds/conv_bound.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace conv_bound_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

constexpr bytes memory{383'385};

struct looseness {
  double sum = 0, worst = 0;
  std::size_t count = 0;

  void add(std::uint64_t bound, std::uint64_t taken) {
    const double ratio = static_cast<double>(bound) / static_cast<double>(taken);
    sum += ratio, worst = std::max(worst, ratio), ++count;
  }
};

template <class Visit>
void for_each_shape(std::size_t count, unsigned seed, const Visit& visit) {
  std::mt19937 random(seed);
  const auto one_of = [&](std::initializer_list<std::size_t> of) { return of.begin()[random() % of.size()]; };
  for (std::size_t n = 0; n < count; ++n) {
    conv_shape s{.batch = one_of({1, 2, 3, 8, 16, 64, 100, 256}),
                 .in_channels = one_of({1, 3, 10, 16, 20, 64}),
                 .rows = one_of({7, 8, 12, 14, 28}),
                 .out_channels = one_of({10, 16, 20, 32, 64}),
                 .kernel_rows = one_of({1, 3, 5}),
                 .stride = one_of({1, 1, 1, 2}),
                 .type = n % 3 == 0 ? amp_precision::float_float : amp_precision::half_float};
    s.columns = s.rows, s.kernel_columns = s.kernel_rows, s.padding = random() % 2 == 0 ? s.kernel_rows / 2 : 0;
    if (s.batch * s.rows * s.rows * std::max(s.in_channels, s.out_channels) < 2'000'000) visit(s);
  }
}

TEST_CASE("a convolution and the gradient of its input hold no more than their bound") {
  looseness found;
  for_each_shape(150, 1, [&](const conv_shape& s) {
    for (const conv_shape& t : {s, s.turned()}) {
      const std::size_t rows = t.turned_round ? s.rows : s.out_rows();
      const ipu::impl::conv_plan p = plan_convolution(mk2, t, s.batch, rows, t.out_channels, mk2.tiles, memory);
      const operation_bound b = convolution_bound(mk2, t, s.batch, rows, t.out_channels, mk2.tiles, memory);
      CHECK_MESSAGE(p.temporary.value <= b.temporary, s.batch, " x ", s.in_channels, " x ", s.rows, " to ", s.out_channels, ", window ", s.kernel_rows, " stride ", s.stride);
      found.add(b.temporary, p.temporary.value);
    }
  });
  MESSAGE("bound by taken, mean ", found.sum / static_cast<double>(found.count), ", worst ", found.worst, " of ", found.count);
  CHECK(found.sum / static_cast<double>(found.count) < 3);
}

constexpr conv_shape first{.batch = 64, .in_channels = 1, .rows = 28, .columns = 28, .out_channels = 10, .kernel_rows = 5, .kernel_columns = 5,
                           .type = amp_precision::half_float};
static_assert(convolution_bound(mk2, first, 64, 24, 10, mk2.tiles, memory).temporary < 8'000);  // a constant expression

}  // namespace conv_bound_test
