// SPDX-License-Identifier: BSL-1.0
// A schedule as the kinds of its steps and how often each comes, for chips that wait for each other at the end of each step. A
// schedule of many micro-batches repeats its body: two tables with few of them say what a body is, and the rest is counted.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/forms/cycles.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <compare>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace ipuflow::plan {

/// The name of PopART's own pipelines: `eager_1f1b` in cycles of a forward and a backward.
inline constexpr std::string_view popart = "popart";

/// The schedules that may be the fastest for chips that keep their weights; each refuses what it is not for.
inline constexpr std::string_view planned_schedules[] = {"inference", "1f1b", "eager_1f1b", "grouped", "interleaved", popart, "gpipe", "zb1p", "zb2p",
                                                         "interleaved_1f1b", "looped_bfs", "zbv", "v_half", "v_min", "dualpipe", "dualpipev", "chimera"};

/// The timetable of that name, which is thrown if there is no such schedule; one that cannot have these sizes, or is for something else, has a
/// fault in `refused`.
template <class = void>
[[nodiscard]] schedule::table table_of(std::string_view name, const schedule::setup& asked) {
  if (name == popart) return schedule::in_cycles(schedule::eager_1f1b(asked));
  if (!schedule::catalogue::any_of([name](const auto& generator) { return generator.name == name; }))
    throw_if(schedule::name_fault{.kind = schedule::name_wrong::unknown_of_plan, .where = fixed_string<40>{name.substr(0, 40)}});
  schedule::table made = schedule::with_schedule(name, asked, [](const auto& t) { return schedule::tabulate(t); });
  if (asked.run_for == mode::training && made.run_for != mode::training) made.refused = {schedule::schedule_wrong::inference_only};
  return made;
}

/// A pass of a stage in a step.
struct stage_pass {
  std::size_t stage = 0;
  schedule::pass pass = schedule::pass::forward;
  std::size_t ipu = 0;  ///< of the two that a crossed schedule has for a stage

  friend constexpr auto operator<=>(const stage_pass&, const stage_pass&) = default;
};

/// A move of values that wait for a stage, in a step: its kind is a number that its chip was counted with.
struct value_move {
  std::size_t stage = 0;
  std::size_t ipu = 0;
  std::size_t kind = 0;

  friend constexpr auto operator<=>(const value_move&, const value_move&) = default;
};

/// The passes of a step in which all chips are at work at once, the moves beside them if they are known, and how many such steps a run has.
struct kind_of_step {
  light_vector<stage_pass> passes{};
  std::size_t count = 0;
  light_vector<value_move> moves{};

  friend bool operator==(const kind_of_step&, const kind_of_step&) = default;
};

/// The moves of each step of a table.
using moves_by_step = light_vector<light_vector<value_move>>;

/// The steps of a schedule by kind.
struct steps_by_kind {
  light_vector<kind_of_step> kinds{};
  light_vector<std::size_t> few{};   ///< the kinds of the steps of a table with as few micro-batches as show all of it, one after the other
  light_vector<std::size_t> more{};  ///< and of one with another body
};

/// A schedule of any number of micro-batches.
struct schedule_steps {
  std::size_t ipus = 0;
  std::size_t stages = 0;
  std::size_t micro_batches = 0;
  light_vector<std::size_t> ipu_of{};  ///< of each stage
  light_vector<std::size_t> other_ipu_of{};  ///< the same for the second half of the micro-batches: another one where a schedule is crossed
  light_vector<std::size_t> depths{};  ///< of the stash of each stage
  steps_by_kind by_kind{};
  schedule::table few{};              ///< the same with as few micro-batches as show all of it
  schedule::table more{};             ///< and with one more body, of which there are `bodies` more than in `few`
  std::size_t bodies = 0;
  schedule::schedule_fault refused{};

  /// Neighbours of a stage, as bits: the one before or behind it on its own chip, with which it exchanges nothing, and itself on another
  /// chip, too, with which gradients are added up.
  [[nodiscard]] std::size_t neighbours_of(std::size_t stage) const {
    const std::size_t before = stage > 0 && ipu_of[stage - 1] == ipu_of[stage], behind = stage + 1 < stages && ipu_of[stage + 1] == ipu_of[stage];
    return before + 2 * behind + (other_ipu_of[stage] != ipu_of[stage] ? 4 : 0);
  }
};

/// The stages that each chip has for any micro-batch.
template <class = void>
[[nodiscard]] light_vector<light_vector<std::size_t>> stages_of_chips(const schedule_steps& steps) {
  light_vector<light_vector<std::size_t>> made(steps.ipus);
  for (std::size_t s = 0; s < steps.stages; ++s) {
    made[steps.ipu_of[s]].push_back(s);
    if (steps.other_ipu_of[s] != steps.ipu_of[s]) made[steps.other_ipu_of[s]].push_back(s);
  }
  return made;
}

namespace impl {

/// The kind of each step of a table that has passes; new kinds are added, those that are known in the order in which they come.
template <class = void>
[[nodiscard]] light_vector<std::size_t> kinds_of_steps(light_vector<kind_of_step>& kinds, const schedule::table& t, moves_by_step moves) {
  light_vector<light_vector<stage_pass>> steps(t.steps());
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (const schedule::placed& o : t.rows[ipu]) {
      if (o.kind <= schedule::pass::recompute) steps[o.step].push_back({o.stage, o.kind, ipu});
    }
  }
  moves.resize(steps.size());
  flat_map<std::tuple<light_vector<stage_pass>, light_vector<value_move>>, std::size_t> known;
  for (std::size_t k = 0; k < kinds.size(); ++k) known.try_emplace(std::tuple{kinds[k].passes, kinds[k].moves}, k);
  light_vector<std::size_t> made;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (steps[step].empty()) continue;
    const auto [found, added] = known.try_emplace(std::tuple{steps[step], moves[step]}, kinds.size());
    if (added) kinds.push_back({std::move(steps[step]), 0, std::move(moves[step])});
    made.push_back(found->second);
  }
  return made;
}

}  // namespace impl

/// The steps of a table that many bodies are added to, of which `more` has one, if there are any. `in_few` and `in_more`: the moves of each
/// step, if they are known.
template <class = void>
[[nodiscard]] steps_by_kind by_kind(const schedule::table& few, const schedule::table& more, std::size_t bodies, moves_by_step in_few = {}, moves_by_step in_more = {}) {
  steps_by_kind made;
  made.few = impl::kinds_of_steps<>(made.kinds, few, std::move(in_few));
  made.more = bodies > 0 ? impl::kinds_of_steps<>(made.kinds, more, std::move(in_more)) : made.few;
  light_vector<std::size_t> longer(made.kinds.size(), 0);
  for (const std::size_t k : made.few) ++made.kinds[k].count;
  for (const std::size_t k : made.more) ++longer[k];
  for (std::size_t k = 0; k < longer.size(); ++k) made.kinds[k].count += (longer[k] - made.kinds[k].count) * bodies;
  return made;
}

namespace impl {

/// The number of micro-batches of the table that shows all of a schedule, and of the next one with another body; what is asked for where
/// it has few.
struct few_micro_batches {
  std::size_t few = 0, more = 0;
};
[[nodiscard]] constexpr few_micro_batches few_of(const schedule::setup& asked) {
  if (asked.ipus == 0 || asked.ipus > schedule::most_stages || asked.stages_per_ipu > schedule::most_stages)
    return {asked.micro_batches, asked.micro_batches};  // refused by every schedule
  const std::size_t body = 2 * asked.ipus * (asked.stages_per_ipu > 1 ? asked.stages_per_ipu : 1);  // every rule's rounds divide it
  const std::size_t most = 4 * body;
  if (asked.micro_batches <= most + body) return {asked.micro_batches, asked.micro_batches};
  const std::size_t few = most - body + 1 + (asked.micro_batches - (most - body + 1)) % body;
  return {few, few + body};
}

}  // namespace impl

/// The steps of a table as it is.
template <class = void>
[[nodiscard]] schedule_steps steps_of(schedule::table t) {
  schedule_steps made;
  made.few = std::move(t);
  made.refused = made.few.refused;
  if (made.refused) return made;
  const auto& where = made.few.where;
  made.ipus = where.ipus, made.stages = where.stages, made.micro_batches = where.micro_batches;
  const auto depths = schedule::fifo_depths(made.few);
  for (std::size_t s = 0; s < where.stages; ++s) {
    made.ipu_of.push_back(where.ipu_of(where.first_seat(s), 0));
    made.other_ipu_of.push_back(where.ipu_of(where.first_seat(s), where.micro_batches == 0 ? 0 : where.micro_batches - 1));
    made.depths.push_back(depths[s]);
  }
  made.by_kind = plan::by_kind<>(made.few, made.few, 0);
  return made;
}

/// The steps of a schedule with the sizes that are asked for.
template <class = void>
[[nodiscard]] schedule_steps steps_of(std::string_view name, const schedule::setup& asked) {
  const impl::few_micro_batches sizes = impl::few_of(asked);
  schedule::setup small = asked;
  small.micro_batches = sizes.few;
  schedule_steps made = steps_of<>(table_of(name, small));
  if (asked.micro_batches != sizes.few) {  // rounds may not be filled, and what is told of is what was asked for
    const auto whole = schedule::with_schedule(name == popart ? "eager_1f1b" : name, asked, [](const auto& t) { return t.refused; });
    if (whole) made.refused = whole;
  }
  made.micro_batches = asked.micro_batches;
  if (made.refused || sizes.more == sizes.few) return made;
  small.micro_batches = sizes.more;
  made.more = table_of(name, small);
  made.refused = made.more.refused;
  if (made.refused) return made;
  const std::size_t times = made.bodies = (asked.micro_batches - sizes.few) / (sizes.more - sizes.few);
  const auto deeper = schedule::fifo_depths(made.more);
  for (std::size_t s = 0; s < made.stages; ++s) made.depths[s] += (deeper[s] - made.depths[s]) * times;
  made.by_kind = plan::by_kind<>(made.few, made.more, times);
  return made;
}

}  // namespace ipuflow::plan
