// SPDX-License-Identifier: BSL-1.0
// The pieces of a copy between matrices that are stored in orders of their own.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>
#include <ipuflow/ipu/program/step.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// The same copy between places where matrices are stored; `pieces` are said in their indices. What goes to several places goes to a
/// plain one.
template <class = void>
[[nodiscard]] inline light_vector<copy_piece> in_orders(const matrix_order& from, const matrix_order& to, light_vector<copy_piece> pieces) {
  if (from == to && pieces.size() == 1 && pieces[0].length == from.elements()) return pieces;  // all of it
  if (from.is_plain() && to.is_plain()) return pieces;
  light_vector<copy_piece> made;
  const auto add = [&](const copy_piece& run) {
    if (!made.empty()) {
      copy_piece& last = made.back();
      const bool goes_on = last.from.begin + last.length == run.from.begin && last.to.begin + last.length == run.to.begin;
      if (goes_on && last.copies == run.copies && last.copy_step == run.copy_step) {
        last.length += run.length;
        return;
      }
    }
    made.push_back(run);
  };
  for (const copy_piece& p : pieces) {
    for (std::size_t r = 0; r < p.count; ++r) {
      for (std::size_t done = 0; done < p.length;) {
        const std::size_t source = p.from.begin + r * p.from.step + done, target = p.to.begin + r * p.to.step + done;
        const std::size_t length = to.together(target, from.together(source, p.length - done));
        add({.from = {p.from.variable, from.place(source)},
             .to = {p.to.variable, to.place(target)},
             .length = length,
             .copies = p.copies,
             .copy_step = p.copy_step});
        done += length;
      }
    }
  }
  return made;
}

}  // namespace ipuflow::ipu
