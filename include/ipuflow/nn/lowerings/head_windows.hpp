// SPDX-License-Identifier: BSL-1.0
// The matrices of the heads of attention: windows of larger ones, one for each sample and head. A product is planned with a small
// matrix in place of each, and its copies are then led to where that really is.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/ipu/program/in_orders.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// A matrix inside a variable, one for each pair of a sample and a head: the pairs of a sample are side by side, in rows of all.
struct head_windows {
  ipu::variable_id inside{};
  std::size_t sample_step = 0;  // elements from one sample to the next
  std::size_t head_step = 0;
  std::size_t first = 0;
  std::size_t pitch = 0;  // from one row to the next
  ipu::matrix_order order{};  // of the variable
};

/// A small matrix that a product is planned with, in place of the window that it really is.
struct stand_in {
  ipu::variable_id variable{};
  ipu::variable_id inside{};
  std::size_t first = 0;
  std::size_t pitch = 0;
  std::size_t columns = 0;
  ipu::matrix_order order{};   // in which it is copied: none, or panels as the window has them
  ipu::matrix_order inside_order{};

  /// The index in the window's variable of an element of the stand-in.
  constexpr std::size_t index_inside(std::size_t index) const { return first + index / columns * pitch + index % columns; }

  /// A copy of a run of panels as copies of runs of the window, which are added.
  template <class = void>
  void add_runs(light_vector<ipu::copy_piece>& to, const ipu::copy_piece& run, bool is_from) const {
    for (std::size_t done = 0; done < run.length;) {
      const std::size_t begin = is_from ? run.from.begin : run.to.begin, index = order.index_of(begin + done);
      const std::size_t there = index_inside(index);
      ipu::copy_piece p = run;
      const std::size_t left = run.length - done, width = inside_order.together(there, order.together(index, left));
      p.length = width;
      if (pitch == inside_order.columns.count) {  // next rows are next to each other in both
        const std::size_t high = algorithms::min(order.whole_rows(index, width), inside_order.whole_rows(there, width));
        if (high > 0) p.length = width * algorithms::min(high, left / width);
      }
      (is_from ? p.from : p.to) = ipu::copy_end{inside, inside_order.place(there)};
      (is_from ? p.to : p.from).begin += done;
      done += p.length;
      if (!to.empty()) {
        ipu::copy_piece& last = to.back();
        const bool goes_on = last.from.variable.index == p.from.variable.index && last.to.variable.index == p.to.variable.index &&
                             last.from.begin + last.length == p.from.begin && last.to.begin + last.length == p.to.begin;
        if (goes_on && last.count == 1 && last.copies == p.copies && last.copy_step == p.copy_step) {
          last.length += p.length;
          continue;
        }
      }
      to.push_back(p);
    }
  }
};

/// Copies to and from stand-ins go to and from their windows.
template <class = void>
inline void look_through(ipu::step& s, light_span<const stand_in> views) {
  ipu::for_each_inner(s, [&](ipu::step& inner) { look_through(inner, views); });
  ipu::copy* const copied = s.get_if<ipu::copy>();
  if (copied == nullptr) return;
  const auto view_of = [&](const ipu::copy_end& end) -> const stand_in* {
    for (const stand_in& v : views) {
      if (end.variable.index == v.variable.index) return &v;
    }
    return nullptr;
  };
  const auto look = [](const stand_in* v, ipu::copy_end& end) {
    if (v != nullptr) end = {v->inside, v->index_inside(end.begin), end.step / v->columns * v->pitch};
  };
  const auto order_of = [](const stand_in* v) { return v == nullptr ? ipu::matrix_order{} : v->inside_order; };
  light_vector<ipu::copy_piece> made;
  for (ipu::copy_piece& p : copied->pieces) {  // an end of a product's copy is its own
    const stand_in *const from = view_of(p.from), *const to = view_of(p.to);
    if (from != nullptr && !from->order.is_plain()) {
      from->add_runs(made, p, true);
    } else if (to != nullptr && !to->order.is_plain()) {
      to->add_runs(made, p, false);
    } else {
      look(from, p.from), look(to, p.to);
      for (const ipu::copy_piece& run : ipu::in_orders(order_of(from), order_of(to), {p})) made.push_back(run);
    }
  }
  copied->pieces = std::move(made);
}

}  // namespace impl

}  // namespace ipuflow::nn
