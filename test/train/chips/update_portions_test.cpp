// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/train/chips/update_portions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace update_portions_test {

using namespace ipuflow;
using namespace ipuflow::train::impl;

TEST_CASE("portions follow each other, and take no more room than the largest tensor alone") {
  ipu::graph g(ipu::mk2);
  for (const std::vector<std::size_t>& sizes : std::vector<std::vector<std::size_t>>{{100}, {10, 20, 30, 100, 90, 20, 1, 1}, {50, 50, 50}, {1, 7, 1}, {3, 200, 3}}) {
    light_vector<updated_tensor> tensors;
    for (const std::size_t size : sizes) {
      updated_tensor t;
      t.value = g.add_variable<half>("value", size, ipu::on_tile(size, 3));
      for (const ipu::element_type type : {ipu::element_type::f16, ipu::element_type::f32})
        t.state.push_back(g.add_temporary(ipu::name_from("state"), type, size, ipu::on_tile(size, 3)));
      tensors.push_back(t);
      CHECK(room_of_state(g, t) == size * 6);
    }
    const std::uint64_t largest = *std::max_element(sizes.begin(), sizes.end()) * 6;
    std::size_t first = 0;
    while (first < tensors.size()) {
      const std::size_t end = end_of_portion(g, tensors, first);
      REQUIRE(end > first);
      std::uint64_t together = 0;
      for (std::size_t i = first; i < end; ++i) together += room_of_state(g, tensors[i]);
      CHECK(together <= largest);
      if (end < tensors.size()) CHECK(together + room_of_state(g, tensors[end]) > largest);
      first = end;
    }
  }
}

}  // namespace update_portions_test
