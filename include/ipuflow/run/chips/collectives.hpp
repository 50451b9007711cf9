// SPDX-License-Identifier: BSL-1.0
// The steps of an update in which replicas exchange gradients or parameters, with a label of their own: a profile then
// tells them from what a chip computes by itself.
#pragma once

#include <ipuflow/ipu/program/step_kind.hpp>


namespace ipuflow::run::impl {

/// True if replicas take part in a step together.
template <class = void>
[[nodiscard]] bool is_collective(const ipu::step& s) {
  return s.is<ipu::all_reduce>() || s.is<ipu::reduce_scatter>() || s.is<ipu::all_gather>();
}

/// The same steps; collectives among them have the label that `label()` gives.
template <class Label>
[[nodiscard]] ipu::step labelled_collectives(const ipu::step& update, Label label) {
  ipu::step made;
  const auto add = [&](const ipu::step& s) { made.then(is_collective(s) ? ipu::labelled(label(), s) : s); };
  const ipu::step all = ipu::sequence(update);
  ipu::for_each_inner(all, add);
  return made;
}

}  // namespace ipuflow::run::impl
