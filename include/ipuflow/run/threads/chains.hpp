// SPDX-License-Identifier: BSL-1.0
// A chain is a row of neighbouring stages on one thread that are run as one function: a value passes all of them before the
// next one enters, so it lies in no ring on its way. Chains keep the order of each IPU: either each has but one stage, or
// all stages are one chain and the timetable lets no micro-batch in before the one ahead of it is through.
#pragma once

#include <ipuflow/run/threads/depth.hpp>
#include <ipuflow/run/threads/dealt.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ipuflow::run {

namespace impl {

/// Whether a timetable is known to let each micro-batch in when the one ahead of it is through.
template <schedule::timetable T>
constexpr bool one_by_one(const T&) {
  return false;
}
template <class Where>
constexpr bool one_by_one(const schedule::modular<Where>& t) {
  const schedule::line& l = t[schedule::pass::forward];
  if (t.part_count != 1 || t.parts[0].group != 1 || t.where.stages == 0) return false;
  for (std::size_t stage = 1; stage < t.where.stages; ++stage) {
    if (l.base(stage, t.span) <= l.base(stage - 1, t.span)) return false;
  }
  return l.base(t.where.stages - 1, t.span) - l.base(0, t.span) < l.per_group;
}

/// What chains depend on in a pipeline and its timetable.
struct chain_facts {
  struct stage {
    std::size_t ipu = 0;
    bool branches = false;
  };
  std::vector<stage> stages{};
  std::vector<std::size_t> stages_on{};  ///< each IPU, a branch counted as one
  bool one_by_one = false;
  bool in_turn = false;
};

template <class P, schedule::timetable T>
chain_facts facts_of(const P&, const T& t) {
  chain_facts facts{std::vector<chain_facts::stage>(P::stage_count), std::vector<std::size_t>(t.where.ipus), one_by_one(t),
                    t.goes == schedule::pace::in_turn};
  for (std::size_t b = 0; b < P::block_count; ++b) {
    if (!P::placement.starts_branch(b)) continue;
    chain_facts::stage& s = facts.stages[P::placement.stage[b]];
    s = {P::placement.ipu[b], P::placement.branch[b] > 0};
    ++facts.stages_on[s.ipu];
  }
  return facts;
}

/// The last stage of the chain that a stage begins, which may be itself; `nowhere` for a stage within a chain.
using chain_ends = std::vector<std::size_t>;

/// The longest chains where each thread has these lanes.
template <class = void>
[[gnu::cold]] chain_ends find_chains(const chain_facts& facts, const dealt& lanes) {
  const std::vector<chain_facts::stage>& stages = facts.stages;
  std::vector<std::size_t> thread_of(facts.stages_on.size());
  for (std::size_t thread = 0; thread < lanes.size(); ++thread) {
    for (const std::size_t lane : lanes[thread]) thread_of[lane] = thread;
  }
  const auto share = [&](std::size_t s) {  // a thread, with the stage before
    return !stages[s - 1].branches && !stages[s].branches && thread_of[stages[s - 1].ipu] == thread_of[stages[s].ipu];
  };
  const auto alone = [&](std::size_t s) { return facts.stages_on[stages[s].ipu] == 1; };
  bool all = facts.one_by_one;
  for (std::size_t s = 1; s < stages.size(); ++s) all = all && share(s);
  const bool some = facts.one_by_one || !facts.in_turn;
  chain_ends last(stages.size(), schedule::nowhere);
  std::size_t first = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const bool follows = s > 0 && (all || (some && share(s) && alone(s - 1) && alone(s)));
    if (!follows) first = s;
    last[first] = s;
  }
  return last;
}

/// Leaves out the lanes that have only stages within chains, since a chain is followed where it begins.
template <class = void>
[[gnu::cold]] void leave_out_followers(const chain_facts& facts, const chain_ends& last, dealt& lanes) {
  std::vector<std::size_t> within(facts.stages_on.size());
  for (std::size_t s = 0; s < last.size(); ++s) within[facts.stages[s].ipu] += last[s] == schedule::nowhere ? 1u : 0u;
  for (auto& mine : lanes) {
    std::erase_if(mine, [&](std::size_t lane) { return within[lane] > 0 && within[lane] == facts.stages_on[lane]; });
  }
}

/// Depths where only the ends of chains hold values: those that the timetable wants within a chain fit behind it, so that
/// what can be run with depths between all stages can be run with these.
template <class = void>
[[gnu::cold]] void move_behind(depths& needed, const chain_ends& last) {
  std::size_t within = 0;
  for (std::size_t s = 1; s < last.size(); ++s) {
    within = last[s] == schedule::nowhere ? within + needed[s] : 0;
    if (s + 1 < last.size() && last[s + 1] != schedule::nowhere) needed[s + 1] += within;
  }
}

/// The timetable of a pipeline that is one chain: all micro-batches through its first stage.
class one_chain {
 public:
  one_chain(const schedule::any_timetable& t, std::size_t ipu)
      : where{t.where}, run_for{t.run_for}, goes{t.goes}, refused{t.refused}, ipu_{ipu} {}

  schedule::any_walk walk(std::size_t ipu) const {
    return schedule::any_walk{entries{{}, ipu == ipu_ ? where.micro_batches : 0}};
  }

  decltype(schedule::any_timetable::where) where;
  mode run_for;
  schedule::pace goes;
  schedule::schedule_fault refused;

 private:
  struct entries {
    schedule::placed now{};
    std::size_t left = 0;

    explicit operator bool() const { return left > 0; }
    const schedule::placed& operator*() const { return now; }
    std::size_t repeats() const { return left; }
    entries& operator+=(std::size_t count) {
      now.micro_batch += count;
      left -= count;
      return *this;
    }
  };

  std::size_t ipu_;
};

}  // namespace impl

}  // namespace ipuflow::run
