// SPDX-License-Identifier: BSL-1.0
// The plan of a run of a stream, beside its source and its sink: it is made once for a pipeline and a timetable, however
// many sources and sinks a program has for them, and is not worth being optimised.
#pragma once

#include <ipuflow/run/threads/chains.hpp>
#include <ipuflow/run/threads/depth.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/run/threads/run_fault.hpp>
#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::run {

namespace impl {

struct stream_plan {
  depths needed{};
  chains joined{};
};

/// Depths where only the ends of chains hold values: those that the timetable wants within a chain fit behind it, so that
/// what can be run with depths between all stages can be run with these.
template <class = void>
[[gnu::cold, gnu::noinline]] void join_chains(stream_plan& plan, const chain_facts& facts) {
  plan.joined = chain_search{facts, plan.joined.lanes}.join(std::move(plan.joined.lanes));
  const std::vector<std::size_t>& last = plan.joined.last;
  std::size_t within = 0;
  for (std::size_t s = 1; s < last.size(); ++s) {
    within = last[s] == schedule::nowhere ? within + plan.needed[s] : 0;
    if (s + 1 < last.size() && last[s + 1] != schedule::nowhere) plan.needed[s + 1] += within;
  }
}

/// Throws what keeps `pipeline` from being run by `t`. Without chains every operation is seen by the executor.
template <class P, schedule::timetable T>
[[gnu::cold, gnu::noinline]] stream_plan plan_stream(const P& pipeline, const T& t, std::size_t threads, bool in_chains) {
  throw_if(t.refused);
  throw_if(verify(pipeline, t));
  throw_if(schedule::verify(t));
  depth_answer depth = depths_of(pipeline, t);
  throw_if(depth.wrong);
  stream_plan plan{std::move(depth.needed), {{}, deal_lanes(t, thread_count(threads, t.where.ipus), 1)}};
  if (in_chains) {
    constexpr auto& at = P::placement;
    join_chains(plan, {at.stage, at.branch, at.ipu, t.where.ipus, one_by_one(t), t.goes == schedule::pace::in_turn});
  }
  return plan;
}

/// Carries out a plan for pipelines with their first stage on `first_ipu`. Whether it was stopped before its end.
template <class = void>
[[gnu::cold, gnu::noinline]] bool execute_plan(const stream_plan& plan, const schedule::any_timetable& t, std::size_t first_ipu,
                                               any_work what, execution options) {
  options.lanes = &plan.joined.lanes;
  const std::vector<std::size_t>& last = plan.joined.last;
  if (!last.empty() && last[0] + 1 == last.size()) {
    return execute(one_chain{t, first_ipu}, what, plan.joined.lanes.size(), options).stopped;
  }
  return execute(t, what, plan.joined.lanes.size(), options).stopped;
}

}  // namespace impl

}  // namespace ipuflow::run
