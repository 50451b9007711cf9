// SPDX-License-Identifier: BSL-1.0
// The values of one step that takes panels, where only some of them stand so: the others are brought into panels before the step, and
// what it writes of them is put back into rows behind it.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/in_orders.hpp>
#include <ipuflow/nn/stage/stage_panels.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn::impl {

template <class = void>
class basic_panel_bridge {
 public:
  basic_panel_bridge(ipu::graph& g, const stage_panels& layout, const panel_use& use) : g_{g}, layout_{layout}, use_{use} {}

  /// Values of a step, of which the real ones matter: their columns are those of the layer's outputs or of its inputs.
  void add(light_vector<on_tiles>& values, const slot_list& slots, light_span<const slot_plan> plan, bool as_output, bool written) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (plan[slots[i]].real) add(values[i], as_output, written);
    }
  }
  /// Gradients, which are real.
  void add(light_vector<on_tiles>& gradients, bool as_output, bool written) {
    for (on_tiles& g : gradients) add(g, as_output, written);
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

  /// One value that the pass reads or, if it is `written`, makes, in the layout of others like it.
  void bring(on_tiles& value, const slot_layout& like, bool written) {
    if (!value.wanted()) return;
    const ipu::variable_id there = value.variable;
    const std::size_t elements = g_[there].elements();
    const ipu::variable_id here = g_.add_temporary(ipu::name_from("in panels"), g_[there].type(), elements, like.map);
    if (written)
      after_.then(ipu::deliver(ipu::in_orders(like.order, {}, {{.length = elements}}), here, there));
    else
      before_.then(ipu::deliver(ipu::in_orders({}, like.order, {{.length = elements}}), there, here));
    value.variable = here;
    value.order = like.order;
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

  void add(on_tiles& value, bool as_output, bool written) {
    if (value.wanted()) ends_.push_back({&value, as_output, written});
  }

  void bring(const end& e, const on_tiles& like) {
    const std::size_t elements = g_[e.value->variable].elements();
    const ipu::matrix_order order =
        ipu::in_panels(like.order.rows.count, e.as_output ? use_.outputs : use_.inputs, like.order.rows.parts);
    const ipu::mapping map = g_[like.variable].elements() == elements ? g_[like.variable].map() : layout_.evenly(order);
    bring(*e.value, {order, map}, e.written);
  }

  ipu::graph& g_;
  const stage_panels& layout_;
  panel_use use_;
  light_vector<end> ends_{};
  ipu::step before_{}, after_{};
};
using panel_bridge = basic_panel_bridge<>;

}  // namespace ipuflow::nn::impl
