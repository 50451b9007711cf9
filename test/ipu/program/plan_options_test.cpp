// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/plan_options.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace plan_options_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("products of halves are summed in halves if that is asked for, others never") {
  CHECK(summed_as(amp_precision::half_float, {.half_partials = true}) == amp_precision::half_half);
  CHECK(summed_as(amp_precision::half_float, {}) == amp_precision::half_float);
  CHECK(summed_as(amp_precision::float_float, {.half_partials = true}) == amp_precision::float_float);
}

TEST_CASE("parts differ by one at most and cover all") {
  for (const std::size_t parts : {1u, 3u, 7u}) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < parts; ++i) {
      sum += part_size(23, parts, i);
      CHECK(part_size(23, parts, i) - 23 / parts <= 1);
    }
    CHECK(sum == 23);
  }
}

TEST_CASE("of the numbers of parts that have a largest part in common the fewest is tried") {
  CHECK(ipu::impl::useful_parts(10, 100) == std::vector<std::size_t>{1, 2, 3, 4, 5, 10});
  CHECK(ipu::impl::useful_parts(10, 4) == std::vector<std::size_t>{1, 2, 3, 4});
}

}  // namespace plan_options_test
