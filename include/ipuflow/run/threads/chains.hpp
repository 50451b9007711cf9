// SPDX-License-Identifier: BSL-1.0
// A chain is a row of neighbouring stages on one thread that are run as one function: a value passes all of them before the
// next one enters, so it lies in no ring on its way. Chains keep the order of each IPU: either each has but one stage, or
// all stages are one chain and the timetable lets no micro-batch in before the one ahead of it is through.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/threads/dealt.hpp>
#include <ipuflow/run/threads/placed_blocks.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::run {

namespace impl {

/// The facts that chains depend on: a pipeline's blocks, and what is known of its timetable.
struct chain_facts {
  placed_blocks blocks{};
  std::size_t ipus = 0;
  bool one_by_one = false;
  bool in_turn = false;
};

/// The longest chains where each thread has these lanes.
class chain_search {
 public:
  chain_search(const chain_facts& facts, const dealt& lanes)
      : facts_{facts}, stages_(facts.blocks.stages()), on_(facts.ipus), thread_of_(facts.ipus) {
    for (std::size_t thread = 0; thread < lanes.size(); ++thread) {
      for (const std::size_t lane : lanes[thread]) thread_of_[lane] = thread;
    }
    const placed_blocks& at = facts.blocks;
    for (std::size_t b = 0; b < at.stage.size(); ++b) {
      if (!at.begins_branch(b)) continue;
      stages_[at.stage[b]] = {at.ipu[b], at.branch[b] > 0};
      ++on_[at.ipu[b]];
    }
  }

  chains join(dealt lanes) const {
    bool all = facts_.one_by_one;
    for (std::size_t s = 1; s < stages_.size(); ++s) all = all && share_a_thread(s);
    const bool some = facts_.one_by_one || !facts_.in_turn;
    chains found{light_vector(stages_.size(), schedule::nowhere), std::move(lanes)};
    light_vector<std::size_t> within(facts_.ipus);
    std::size_t first = 0;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const bool follows = s > 0 && (all || (some && share_a_thread(s) && is_alone(s - 1) && is_alone(s)));
      if (!follows) first = s;
      if (follows) ++within[stages_[s].ipu];
      found.last[first] = s;
    }
    for (auto& mine : found.lanes) {
      erase_if(mine, [&](std::size_t lane) { return within[lane] > 0 && within[lane] == on_[lane]; });
    }
    return found;
  }

 private:
  struct stage {
    std::size_t ipu = 0;
    bool branches = false;
  };

  /// A stage and the one before it.
  bool share_a_thread(std::size_t s) const {
    const stage& a = stages_[s - 1];
    const stage& b = stages_[s];
    return !a.branches && !b.branches && thread_of_[a.ipu] == thread_of_[b.ipu];
  }
  bool is_alone(std::size_t s) const { return on_[stages_[s].ipu] == 1; }

  const chain_facts& facts_;
  light_vector<stage> stages_;
  light_vector<std::size_t> on_;  // each IPU, how many stages and branches
  light_vector<std::size_t> thread_of_;
};

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
