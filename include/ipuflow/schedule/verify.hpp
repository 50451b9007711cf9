// SPDX-License-Identifier: BSL-1.0
// The first thing that is wrong with a timetable, at the least cost that its form allows: by arithmetic for a closed
// form, by times for the beats of a program, by the steps of a table. What that does not prove is run: a program for few
// micro-batches, anything else as it is.
#pragma once

#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/analysis/verify_closed.hpp>
#include <ipuflow/schedule/analysis/verify_phases.hpp>
#include <ipuflow/schedule/analysis/verify_steps.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/forms/program.hpp>

#include <type_traits>

namespace ipuflow::schedule {

/// The same program for the number of micro-batches above which more of them only repeat its longest phase.
[[nodiscard]] constexpr program reduced(program t) {
  if (t.where.micro_batches > t.settled) t.where.micro_batches = t.settled + (t.where.micro_batches - t.settled) % 2;
  return t;
}

namespace impl {

template <class T>
concept has_rows = requires(const T& t) {
  t.rows;
  t.where.home;
  t.where.crossed;
};

/// The fault of sizes that no timetable has: operations of more could not be counted.
template <whereabouts Where>
constexpr schedule_fault verify_extent(const Where& where) {
  if (where.stages == 0) return {schedule_wrong::no_stages, 0, 1};  // as of a search that was refused
  if (where.stages > most_stages) return {schedule_wrong::too_many_stages, where.stages, most_stages};
  if (where.micro_batches == 0) return {schedule_wrong::no_micro_batches, 0, 1};
  if (where.micro_batches > most_micro_batches) return {schedule_wrong::too_many_micro_batches, where.micro_batches, most_micro_batches};
  return {};
}

}  // namespace impl

/// Complete, each operation once and on its IPU, in an order that every IPU can run to its end.
template <timetable T>
constexpr schedule_fault verify(const T& t) {
  if (t.refused) return t.refused;
  if (const schedule_fault found = impl::verify_extent(t.where)) return found;
  if constexpr (std::is_same_v<T, program>) {
    return impl::proven_by_phases(t) ? schedule_fault{} : impl::verify_order(reduced(t));
  } else if constexpr (impl::has_rows<T>) {
    if (t.rows.size() != t.where.ipus) return {schedule_wrong::other_rows, t.rows.size(), t.where.ipus};
    return impl::proven_by_steps(t) ? schedule_fault{} : impl::verify_order(t);
  } else {
    return impl::verify_order(t);
  }
}

namespace impl {

/// The layouts that most schedules have, while a program runs.
template <class Where>
[[gnu::cold, gnu::noinline]] schedule_fault verify_at_run_time(const modular<Where>& t) {
  return verify_closed(t);
}

}  // namespace impl

/// For any number of micro-batches at the same cost.
template <class Where>
constexpr schedule_fault verify(const modular<Where>& t) {
  if (__builtin_is_constant_evaluated()) {  // the compiler drops what is for constants before it looks at it, which it does not behind a call
    return impl::verify_closed(t);
  } else if constexpr (std::is_same_v<Where, grid>) {
    return impl::verify_at_run_time(t);
  } else if constexpr (impl::is_widened<modular<Where>>) {
    return impl::verify_at_run_time(impl::widened(t));
  } else {
    return impl::verify_closed(t);
  }
}

}  // namespace ipuflow::schedule

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow::schedule::impl {
extern template schedule_fault verify_at_run_time<grid>(const modular<grid>&);
extern template schedule_fault verify_at_run_time<common_map>(const modular<common_map>&);
}
#endif
