// SPDX-License-Identifier: BSL-1.0
// The concept of a timetable: the IPUs of every stage, and each IPU's operations in order. Everything downstream of a
// generator reads it; its form (modular, program, table, a user's own type) is invisible there.
#pragma once

#include <ipuflow/core/mode.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace ipuflow::schedule {

/// A layout of stages on IPUs. A seat is a stage on one of its IPUs, and the seats of a stage are neighbours.
template <class W>
concept whereabouts = requires(const W& w, std::size_t i) {
  { w.ipus + w.stages + w.micro_batches } -> std::convertible_to<std::size_t>;
  { w.seats() + w.first_seat(i) } -> std::convertible_to<std::size_t>;
  { w.ipu_of(i, i) } -> std::convertible_to<std::size_t>;
  { w.seat_of(i, i, i) } -> std::convertible_to<std::size_t>;
};

/// `walk(ipu)` steps through the operations of an IPU: `for (auto w = t.walk(0); w; ++w) use(*w);`
template <class T>
concept timetable = whereabouts<decltype(T::where)> && requires(const T& t, std::size_t ipu) {
  { *t.walk(ipu) } -> std::convertible_to<const placed&>;
  { static_cast<bool>(++t.walk(ipu)) };
  { t.run_for } -> std::convertible_to<mode>;
  { t.goes } -> std::convertible_to<pace>;
  { t.refused } -> std::convertible_to<schedule_fault>;
};

/// A timetable that answers by arithmetic which operations an IPU has at a step, and at which step an operation is.
template <class T>
concept closed_form = timetable<T> && requires(const T& t, std::size_t i) {
  t.ops(i, i).size();
  { t.step_of(op{}) } -> std::convertible_to<std::size_t>;
  { t.steps() } -> std::convertible_to<std::size_t>;
};

namespace impl {

template <timetable T>
using walk_of = decltype(std::declval<const T&>().walk(0));

}  // namespace impl

/// The number of operations of all IPUs.
template <timetable T>
[[nodiscard]] constexpr std::size_t operations(const T& t) {
  std::size_t total = 0;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    if constexpr (requires { t.count(ipu); }) {
      total += t.count(ipu);
    } else {
      for (auto w = t.walk(ipu); w; ++w) ++total;
    }
  }
  return total;
}

}  // namespace ipuflow::schedule
