// SPDX-License-Identifier: BSL-1.0
// Single numbers of a stage on tiles: the counter of its micro-batches, and the scale of the loss, which goes from one tile
// to all tiles of a gradient.
#pragma once

#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ipuflow::nn::impl {

/// `number` becomes what `counter` is, which becomes one more.
template <class = void>
[[nodiscard]] ipu::step count_up(ipu::graph& g, ipu::variable_id counter, ipu::variable_id number) {
  const auto cost = [](const ipu::architecture&, ipu::lengths) { return ipu::vertex_cost{.bundles = 8}; };
  return ipu::on_each_tile(
      g, "count",
      ipu::codelet(
          ipu::name_from("count"), ipu::elementwise_code,
          [](ipu::inout<std::int32_t> next, std::span<std::int32_t> taken) { taken[0] = next[0]++; }, cost),
      counter, {ipu::whole(counter), ipu::whole(number)});
}

/// Multiplies all elements of a gradient by one number, in the gradient's type.
template <class = void>
[[nodiscard]] ipu::step scaled_by(ipu::graph& g, ipu::variable_id factor, ipu::variable_id gradient) {
  const ipu::mapping map = g[gradient].map();
  const std::size_t count = g[gradient].elements();
  const ipu::name_text name = g[factor].name();
  const ipu::arranged all = ipu::arrange(g, factor, name.view(), map, {{.length = 1, .copies = count, .copy_step = 1}});
  if (g[gradient].type() == ipu::element_type::f32)
    return ipu::sequence(all.bring, ipu::apply(g, ipu::binary::mul, gradient, all.variable, gradient));
  const ipu::variable_id rounded = g.add_temporary(ipu::name_from("scale rounded"), g[gradient].type(), count, map);
  return ipu::sequence(all.bring, ipu::cast(g, all.variable, rounded), ipu::apply(g, ipu::binary::mul, gradient, rounded, gradient));
}

}  // namespace ipuflow::nn::impl
