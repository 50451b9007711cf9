// SPDX-License-Identifier: BSL-1.0
// From stages on IPUs, their costs and memory to the instance that is searched, and what is wrong with them.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/search_fault.hpp>
#include <ipuflow/schedule/search/search_memory.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The time that a search makes short.
enum class search_metric : unsigned char {
  span,     ///< of all IPUs the longest from when its first forward can begin at the earliest to the end of its last operation
  makespan  ///< to the end of all
};

namespace impl {

/// The most that times or bytes may come to altogether.
inline constexpr std::size_t most_searched = std::size_t{1} << 42;

template <whereabouts Where>
constexpr search_fault verify_sizes(const Where& where, const search_memory& memory) {
  if (where.ipus == 0 || where.stages == 0 || where.micro_batches == 0) {
    return {search_wrong::empty, where.stages, where.micro_batches};
  }
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const std::size_t seat = where.first_seat(stage);
    const std::size_t seats = where.first_seat(stage + 1) - seat;
    if (seats != 1 || where.ipu_of(seat, 0) != where.ipu_of(seat, where.micro_batches - 1)) {
      return {search_wrong::two_ipus, seats, 1, stage};
    }
  }
  if (memory.stages.size() != 1 && memory.stages.size() != where.stages) {
    return {search_wrong::memory_records, memory.stages.size(), where.stages};
  }
  for (const std::size_t records : {memory.recomputable.size(), memory.offloadable.size()}) {
    if (records > 1 && records != where.stages) return {search_wrong::memory_records, records, where.stages};
  }
  if (memory.limits.size() != 1 && memory.limits.size() != where.ipus) {
    return {search_wrong::limits, memory.limits.size(), where.ipus};
  }
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const activation_bytes& of = memory.of(stage);
    std::size_t added = 0;
    std::size_t freed = 0;
    for (const std::ptrdiff_t bytes : {of.after_forward, of.after_inputs, of.after_weights}) {
      const std::size_t size = bytes < 0 ? std::size_t{0} - static_cast<std::size_t>(bytes) : static_cast<std::size_t>(bytes);
      if (size > most_searched) return {search_wrong::too_large, size, most_searched};
      (bytes < 0 ? freed : added) += size;
    }
    if (added != freed) return {search_wrong::kept_for_ever, added, freed, stage};
    if (added > most_searched / where.micro_batches / where.stages) return {search_wrong::too_large, added, most_searched};
  }
  return {};
}

/// The time of a pass that makes activations again.
template <pricing Costs>
constexpr std::size_t recompute_time(const Costs& costs, const search_memory& memory, std::size_t stage) {
  const std::size_t asked = memory.recomputing(stage).time;
  const std::size_t own = asked > 0 ? asked : costs.of(pass::recompute, stage);
  return own > 0 ? own : costs.of(pass::forward, stage);
}

/// The fault of times that are missing, or cannot be added up.
template <whereabouts Where, pricing Costs>
constexpr search_fault verify_times(const Where& where, const Costs& costs, const search_memory& memory) {
  if constexpr (requires { costs.stage.size(); }) {
    if (costs.stage.size() < where.stages) return {search_wrong::cost_records, costs.stage.size(), where.stages};
  }
  const std::size_t most = most_searched / where.micro_batches / where.stages / 8;
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const offloaded_stage away = memory.offloadable.empty() ? offloaded_stage{} : memory.offloading(stage);
    const std::size_t times[] = {costs.of(pass::forward, stage), costs.of(pass::backward_inputs, stage), costs.of(pass::backward_weights, stage),
                                 memory.recomputable.empty() ? 0 : recompute_time(costs, memory, stage), away.send_time, away.fetch_time, message_time(costs, stage)};
    for (const std::size_t time : times) {
      if (time > most) return {search_wrong::too_large, time, most_searched};
    }
  }
  return {};
}

/// The way of each stage's activations; a stage that is not decided yet takes the best of all that it is allowed.
struct stash_plan {
  dynamic_array<stash_choice> stages{};  ///< empty: all are kept
  std::size_t decided = nowhere;  ///< stages from this one on are not

  [[nodiscard]] constexpr stash_choice of(std::size_t stage) const { return stages.empty() ? stash_choice::kept : stages[stage]; }
};

/// The fewest bytes that stay behind a forward pass.
constexpr std::size_t least_kept(const search_memory& memory, std::size_t stage) {
  std::size_t least = memory.kept(stash_choice::kept, stage);
  for (const stash_choice how : {stash_choice::recomputed, stash_choice::offloaded}) {
    if (memory.allows(how, stage) && memory.kept(how, stage) < least) least = memory.kept(how, stage);
  }
  return least;
}

/// The lanes of a search: forwards from the first stage to the last, recomputations, backwards to the first stage, gradients for weights.
template <whereabouts Where, pricing Costs>
class instance_maker {
 public:
  // Short names: g++ 12 warns of longer ones where a program has a variable of that name
  constexpr instance_maker(const Where& w, const Costs& c, const search_memory& m, bool split, const stash_plan& p)
      : where_{w}, costs_{c}, memory_{m}, plan_{p}, split_{split} {}

  constexpr search_instance make() {
    const std::size_t stages = where_.stages;
    made_.ipus = where_.ipus;
    made_.micro_batches = where_.micro_batches;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      if (stage < plan_.decided && plan_.of(stage) == stash_choice::recomputed) ++made_.recomputed;
    }
    made_.lanes = dynamic_array<search_lane>((split_ ? 3 : 2) * stages + made_.recomputed);
    made_.limit = dynamic_array<amount>(where_.ipus);
    made_.release = dynamic_array<amount>(where_.ipus);
    made_.offset = dynamic_array<amount>(where_.ipus);
    for (std::size_t ipu = 0; ipu < where_.ipus; ++ipu) {
      const std::size_t limit = memory_.limit(ipu);
      made_.limit[ipu] = static_cast<amount>(limit < most_searched ? limit : most_searched);
    }
    dynamic_array<std::size_t> chunks(where_.ipus);
    for (std::size_t stage = 0, again = stages; stage < stages; ++stage) add(stage, chunks[ipu_of(stage)]++, again);
    complete(made_);
    return static_cast<search_instance&&>(made_);
  }

 private:
  constexpr std::size_t ipu_of(std::size_t stage) const { return where_.ipu_of(where_.first_seat(stage), 0); }
  constexpr amount link(std::size_t from, std::size_t to) const {
    return ipu_of(from) == ipu_of(to) ? 0 : static_cast<amount>(message_time(costs_, from));
  }
  constexpr search_lane lane(pass kind, std::size_t stage, std::size_t chunk, amount adds, amount at_least = 0) const {
    const auto time = static_cast<amount>(kind == pass::recompute ? recompute_time(costs_, memory_, stage) : costs_.of(kind, stage));
    return {kind, stage, ipu_of(stage), chunk, time, adds, adds > at_least ? adds : at_least};
  }

  constexpr void add(std::size_t stage, std::size_t chunk, std::size_t& again) {
    const std::size_t stages = where_.stages;
    const bool open = stage >= plan_.decided;
    const stash_choice how = open ? stash_choice::kept : plan_.of(stage);
    const activation_bytes& bytes = memory_.of(stage);
    const auto kept = static_cast<amount>(open && memory_.decides() ? least_kept(memory_, stage) : memory_.kept(how, stage));
    const amount away = bytes.after_forward - kept;
    search_lane& forward = made_.lanes[stage] = lane(pass::forward, stage, chunk, kept, how == stash_choice::offloaded ? bytes.after_forward : 0);
    if (stage > 0) forward.before[0] = stage - 1, forward.lag[0] = link(stage - 1, stage);
    const std::size_t at = 2 * stages + made_.recomputed - 1 - stage;
    const amount frees = bytes.after_inputs + (split_ ? 0 : bytes.after_weights);
    const amount returns = how == stash_choice::recomputed ? 0 : away;  // at the beginning of the backward
    search_lane& back = made_.lanes[at] = lane(split_ ? pass::backward_inputs : pass::backward, stage, chunk, frees + returns, returns);
    back.before[0] = stage + 1 < stages ? at - 1 : stage;
    if (stage + 1 < stages) back.lag[0] = link(stage + 1, stage);
    if (how == stash_choice::recomputed) {
      made_.lanes[again] = lane(pass::recompute, stage, chunk, away);
      made_.lanes[again].before[0] = stage;
      back.before[stage + 1 < stages ? 1 : 0] = again++;
      back.again = true;
    } else if (how == stash_choice::offloaded) {
      forward.time += static_cast<amount>(memory_.offloading(stage).send_time);
      back.time += static_cast<amount>(memory_.offloading(stage).fetch_time);
    }
    if (!split_) return;
    search_lane& weights = made_.lanes[3 * stages + made_.recomputed - 1 - stage] = lane(pass::backward_weights, stage, chunk, bytes.after_weights);
    weights.before[0] = at;
    weights.again = how == stash_choice::recomputed;
  }

  const Where& where_;
  const Costs& costs_;
  const search_memory& memory_;
  const stash_plan& plan_;
  bool split_;
  search_instance made_{};
};

template <whereabouts Where, pricing Costs>
constexpr search_instance instance_of(const Where& where, const Costs& costs, const search_memory& memory, bool split,
                                      const stash_plan& plan = {}) {
  return instance_maker<Where, Costs>{where, costs, memory, split, plan}.make();
}

/// The fault of an IPU that cannot hold one micro-batch alone.
constexpr search_fault verify_room(const search_instance& of) {
  dynamic_array<amount> held(of.ipus);
  dynamic_array<amount> most(of.ipus);
  in_turn(of, [&](std::size_t l) {
    const search_lane& lane = of.lanes[l];
    if (held[lane.ipu] + lane.during > most[lane.ipu]) most[lane.ipu] = held[lane.ipu] + lane.during;
    held[lane.ipu] += lane.memory;
  });
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    if (most[ipu] <= of.limit[ipu]) continue;
    return {search_wrong::no_room, static_cast<std::size_t>(most[ipu]), static_cast<std::size_t>(of.limit[ipu]), ipu};
  }
  return {};
}

}  // namespace impl

}  // namespace ipuflow::schedule
