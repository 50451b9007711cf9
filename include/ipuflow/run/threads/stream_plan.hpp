// SPDX-License-Identifier: BSL-1.0
// The plan of a run of a stream, beside its source and its sink: it is made once for a pipeline and a timetable, however
// many sources and sinks a program has for them, and knows them as numbers only.
#pragma once

#include <ipuflow/run/threads/dealt.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/run/threads/known_order.hpp>
#include <ipuflow/run/threads/placed_blocks.hpp>
#include <ipuflow/run/threads/run_fault.hpp>
#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <cstddef>

namespace ipuflow::run::impl {

struct stream_plan {
  depths needed{};
  chains joined{};
};

/// Throws what keeps values from passing each stage in a row. Without chains every operation is seen by the executor.
template <class = void>
stream_plan plan_order(const placed_blocks& blocks, const schedule::any_timetable& t, const known_order& known, std::size_t threads,
                       bool in_chains);

/// Carries out a plan for pipelines with their first stage on `first_ipu`. Whether it was stopped before its end.
template <class = void>
bool execute_plan(const stream_plan& plan, const schedule::any_timetable& t, std::size_t first_ipu, any_work what, execution options);

/// Throws what keeps `pipeline` from being run by `t`.
template <class P, schedule::timetable T>
stream_plan plan_stream(const P& pipeline, const T& t, std::size_t threads, bool in_chains) {
  throw_if(t.refused);
  throw_if(run::verify(pipeline, t));
  throw_if(schedule::verify(t));
  return impl::plan_order(impl::places_of(pipeline), t, impl::known_of(t), threads, in_chains);
}

}  // namespace ipuflow::run::impl

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
namespace ipuflow::run::impl {
extern template stream_plan plan_order<>(const placed_blocks&, const schedule::any_timetable&, const known_order&, std::size_t, bool);
extern template bool execute_plan<>(const stream_plan&, const schedule::any_timetable&, std::size_t, any_work, execution);
}  // namespace ipuflow::run::impl
#else
#include <ipuflow/run/threads/stream_planning.hpp>
#endif
