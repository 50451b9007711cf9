// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/program/mapping.hpp>
#include <ipuflow/ipu/program/plan_options.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace operation_bound_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("the bound of a spread value is what its fullest tile holds") {
  for (const element_type type : {element_type::f16, element_type::f32}) {
    for (const std::size_t elements : {1u, 7u, 64u, 65u, 1000u, 99'999u, 1'000'000u}) {
      const std::size_t tiles = std::clamp<std::size_t>(elements * size_of(type) / 128, 1, 1472);
      const auto on = ipu::impl::elements_on(linear(elements, tiles, 0, vector_width(type)), 1472);
      CHECK(spread_bound(type, elements, 1472) == *std::max_element(on.begin(), on.end()) * size_of(type));
    }
  }
}

TEST_CASE("the parts worth trying are those of the planner") {
  for (const std::size_t count : {1u, 2u, 7u, 24u, 64u, 100u, 1000u, 9408u, 1'000'000u}) {
    for (const std::size_t most : {1u, 5u, 1472u}) {
      const std::vector<std::size_t> wanted = ipu::impl::useful_parts(count, most);
      const ipu::impl::part_list made(count, most);
      CHECK(std::vector<std::size_t>(made.begin(), made.end()) == wanted);
    }
  }
}

}  // namespace operation_bound_test
