// SPDX-License-Identifier: BSL-1.0
// The making and the carrying out of the plan of a stream, for any pipeline and any timetable.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/threads/chains.hpp>
#include <ipuflow/run/threads/depth.hpp>
#include <ipuflow/run/threads/stream_plan.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::run::impl {

/// Depths where only the ends of chains hold values: those that the timetable wants within a chain fit behind it, so that
/// what can be run with depths between all stages can be run with these.
template <class = void>
[[gnu::cold, gnu::noinline]] void join_chains(stream_plan& plan, const chain_facts& facts) {
  plan.joined = chain_search{facts, plan.joined.lanes}.join(std::move(plan.joined.lanes));
  const light_vector<std::size_t>& last = plan.joined.last;
  std::size_t within = 0;
  for (std::size_t s = 1; s < last.size(); ++s) {
    within = last[s] == schedule::nowhere ? within + plan.needed[s] : 0;
    if (s + 1 < last.size() && last[s + 1] != schedule::nowhere) plan.needed[s + 1] += within;
  }
}

template <class>
[[gnu::cold, gnu::noinline]] stream_plan plan_order(const placed_blocks& blocks, const schedule::any_timetable& t, const known_order& known,
                                                    std::size_t threads, bool in_chains) {
  depth_answer depth{{}, known.needed};
  if (depth.needed.empty()) depth = depth_count{blocks, t}.run();
  throw_if(depth.wrong);
  stream_plan plan{std::move(depth.needed), {{}, deal_lanes(t, thread_count(threads, t.where.ipus), 1)}};
  if (in_chains) join_chains(plan, {blocks, t.where.ipus, known.one_by_one, t.goes == schedule::pace::in_turn});
  return plan;
}

template <class>
[[gnu::cold, gnu::noinline]] bool execute_plan(const stream_plan& plan, const schedule::any_timetable& t, std::size_t first_ipu,
                                               any_work what, execution options) {
  options.lanes = &plan.joined.lanes;
  const light_vector<std::size_t>& last = plan.joined.last;
  if (!last.empty() && last[0] + 1 == last.size()) {
    return execute(one_chain{t, first_ipu}, what, plan.joined.lanes.size(), options).stopped;
  }
  return execute(t, what, plan.joined.lanes.size(), options).stopped;
}

}  // namespace ipuflow::run::impl
