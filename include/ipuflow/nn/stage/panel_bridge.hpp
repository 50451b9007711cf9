// SPDX-License-Identifier: BSL-1.0
// The values of one step that takes panels, where only some of them stand so: the others are brought into panels before the step, and
// what it writes of them is put back into rows behind it.
#pragma once

#include <ipuflow/nn/stage/stage_panels.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::nn::impl {

template <class = void>
class basic_panel_bridge {
 public:
  basic_panel_bridge(ipu::graph& g, const stage_panels& layout, const panel_use& use) : g_{g}, layout_{layout}, use_{use} {}

  /// A real value of the step, or a gradient, whose columns are those of the layer's outputs or inputs.
  void add(on_tiles& value, bool as_output, bool written) {
    if (value.wanted()) ends_.push_back({&value, as_output, written});
  }

  /// Once all are known, and before the step is laid out.
  void open() {
    if (use_.how != panel_use::way::takes) return;
    for (const end& in_panels : ends_) {
      if (in_panels.value->order.is_plain()) continue;
      const on_tiles like = *in_panels.value;
      for (const end& e : ends_) {
        if (e.value->order.is_plain()) bring(e, like);
      }
      return;
    }
  }

  [[nodiscard]] ipu::step around(ipu::step pass) {
    return ipu::sequence(std::move(before_), std::move(pass), std::move(after_));
  }

 private:
  struct end {
    on_tiles* value = nullptr;
    bool as_output = false;
    bool written = false;
  };

  void bring(const end& e, const on_tiles& like) {
    const ipu::variable_id there = e.value->variable;
    const std::size_t elements = g_[there].elements();
    const ipu::matrix_order order =
        ipu::in_panels(like.order.rows.count, e.as_output ? use_.outputs : use_.inputs, like.order.rows.parts);
    const ipu::mapping map = g_[like.variable].elements() == elements ? g_[like.variable].map() : layout_.evenly(order);
    const ipu::variable_id here = g_.add_temporary(ipu::name_from("in panels"), g_[there].type(), elements, map);
    if (e.written)
      after_.then(ipu::deliver(ipu::in_orders(order, {}, {{.length = elements}}), here, there));
    else
      before_.then(ipu::deliver(ipu::in_orders({}, order, {{.length = elements}}), there, here));
    e.value->variable = here;
    e.value->order = order;
  }

  ipu::graph& g_;
  const stage_panels& layout_;
  panel_use use_;
  std::vector<end> ends_{};
  ipu::step before_{}, after_{};
};
using panel_bridge = basic_panel_bridge<>;

}  // namespace ipuflow::nn::impl
