// SPDX-License-Identifier: BSL-1.0
// A value in panels whose squares of sixteen by sixteen are turned round, each in its place: what a product sums over then lies together
// in each. It is done once, where the value stands, before blocks of it go to all tiles that multiply them.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::ipu {

namespace impl {

/// Squares as they stand, in place of what they were.
template <class Element>
void turn_squares(std::span<const Element> from, std::span<Element> to) {
  for (std::size_t at = 0; at < from.size(); at += square_elements) {
    for (std::size_t r = 0; r < panel_columns; ++r) {
      for (std::size_t c = 0; c < panel_columns; ++c) to[at + c * panel_columns + r] = from[at + r * panel_columns + c];
    }
  }
}

template <class = void>
inline codelet squares_codelet(element_type type) {
  const auto cost = [type](const architecture& chip, lengths sizes) {
    return vertex_cost{.bundles = turn_bundles(chip, sizes[0] / panel_columns, panel_columns, size_of(type)),
                       .supervisor = chip.supervisor_launch.value,
                       .all_workers = true};
  };
  const auto make = [&](auto element) {
    using number = decltype(element);
    return codelet(
        name_from("turn squares"), elementwise_code,
        [](std::span<const number> from, std::span<number> to) { turn_squares<number>(from, to); }, cost);
  };
  return type == element_type::f32 ? make(float{}) : make(half{});
}

}  // namespace impl

/// The value with its squares turned round. A square that several tiles have a part of goes to the one that has its beginning.
template <class = void>
[[nodiscard]] arranged with_turned_squares(graph& g, variable_id value) {
  mapping squares;
  const std::size_t elements = g[value].elements();
  for (const mapped_interval& i : g[value].map()) {
    const std::size_t begin = divided_up(i.begin, impl::square_elements) * impl::square_elements,
                      end = divided_up(i.end, impl::square_elements) * impl::square_elements;
    if (begin == end) continue;
    if (!squares.empty() && squares.back().tile == i.tile)
      squares.back().end = end;
    else
      squares.push_back({begin, end, i.tile});
  }
  const arranged whole_ones = arrange(g, value, "squares", squares, {{.length = elements}});
  const variable_id turned = g.add_temporary(name_from("turned squares"), g[value].type(), elements, squares);
  return {turned, sequence(whole_ones.bring, on_each_tile(g, "turn squares", impl::squares_codelet(g[value].type()), turned,
                                                          {whole(whole_ones.variable), whole(turned)}))};
}

}  // namespace ipuflow::ipu
