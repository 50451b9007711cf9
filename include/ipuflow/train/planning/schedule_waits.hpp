// SPDX-License-Identifier: BSL-1.0
// Values that wait for the stages of a schedule, and the steps in which they are moved, whatever the number of its bodies.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/chip_memory.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>
#include <ipuflow/run/chips/stage_moves.hpp>
#include <ipuflow/run/chips/stage_waits.hpp>
#include <ipuflow/run/chips/step_loop.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::train::impl {

/// Values that wait with few bodies, and how deep their rings are on each chip: they grow by as much with each body of the schedule.
struct schedule_waits {
  light_vector<run::stage_waits> waits{};
  light_vector<light_vector<plan::ring_depths>> depths{};
  light_vector<std::size_t> kinds_moved{};     ///< of each of `waits`, a bit for each kind of move that it has
  plan::steps_by_kind steps{};                 ///< with their moves; none where chips do not end steps together
  light_vector<light_vector<std::size_t>> loops{};  ///< of each chip: see `loops_of`, and `passes_in_turn` where chips wait for neighbours alone

  [[nodiscard]] const plan::steps_by_kind* steps_with_moves() const { return steps.kinds.empty() ? nullptr : &steps; }
};

/// The kinds of passes that a chip runs of a stage, a bit each.
template <class = void>
[[nodiscard]] std::size_t passes_of(const schedule::table& t, std::size_t chip, std::size_t stage) {
  std::size_t bits = 0;
  for (const schedule::placed& o : t.rows[chip]) {
    if (o.stage == stage) bits |= std::size_t{1} << static_cast<std::size_t>(o.kind);
  }
  return bits;
}

/// Of the stages that are asked to recompute those that can with a schedule: of training, and only on a chip that does not split their
/// backwards in two, where they keep their values.
template <class = void>
[[nodiscard]] schedule::stage_set recomputing_in(const schedule::table& t, const schedule::stage_set& asked) {
  schedule::stage_set can;
  if (t.run_for == mode::inference || asked.empty()) return can;
  std::size_t count = 0;
  for (const auto& row : t.rows) {
    light_vector<bool> whole(t.where.stages, false), split(t.where.stages, false);
    for (const schedule::placed& o : row) {
      if (o.kind == schedule::pass::backward) whole[o.stage] = true;
      if (o.kind == schedule::pass::backward_weights) split[o.stage] = true;
    }
    for (std::size_t s = 0; s < t.where.stages; ++s) {
      if (!whole[s] || split[s] || !asked.has(s) || can.has(s)) continue;
      can.add(s);
      ++count;
    }
  }
  return count == t.where.stages ? asked : can;
}

/// The passes of each chip in the loops of a program with these steps and between them, since variables live longer in loops: for each
/// stretch in which a chip has any, whether it is a loop, whether it has several in a step, and the kinds of passes of each stage; of a loop
/// their order, too: what one leaves for the next is in other places.
template <class = void>
[[nodiscard]] light_vector<light_vector<std::size_t>> loops_of(const plan::steps_by_kind& of, std::size_t ipus, std::size_t stages) {
  light_vector<light_vector<std::size_t>> made(ipus);
  light_vector<std::uint32_t> order;
  for (const std::size_t kind : of.few) order.push_back(static_cast<std::uint32_t>(kind));
  for (const run::stretch& s : run::fold(order)) {
    light_vector<light_vector<std::size_t>> passes(ipus), in_turn(ipus);  // of each chip
    light_vector<bool> several(ipus, false);
    for (std::size_t i = s.begin; i < s.begin + s.body; ++i) {
      std::size_t last = schedule::nowhere;  // the passes of a step are in the order of the chips
      for (const plan::stage_pass& p : of.kinds[of.few[i]].passes) {
        passes[p.ipu].resize(stages, 0);
        passes[p.ipu][p.stage] |= std::size_t{1} << static_cast<std::size_t>(p.pass);
        if (s.repeats > 1) in_turn[p.ipu].push_back(p.stage), in_turn[p.ipu].push_back(static_cast<std::size_t>(p.pass));
        if (p.ipu == last) several[p.ipu] = true;
        last = p.ipu;
      }
    }
    for (std::size_t chip = 0; chip < ipus; ++chip) {
      if (passes[chip].empty()) continue;
      made[chip].push_back(s.repeats > 1), made[chip].push_back(several[chip]);
      for (const std::size_t bits : passes[chip]) {
        if (bits > 0) made[chip].push_back(bits);
      }
      made[chip].push_back(in_turn[chip].size());
      for (std::size_t i = 0; i < in_turn[chip].size(); i += 2) {  // stages by their number on the chip: the same of chips that are alike
        const auto before = passes[chip].begin() + static_cast<std::ptrdiff_t>(in_turn[chip][i]);
        made[chip].push_back(static_cast<std::size_t>(algorithms::count_if(passes[chip].begin(), before, [](std::size_t bits) { return bits > 0; })));
        made[chip].push_back(in_turn[chip][i + 1]);
      }
    }
  }
  return made;
}

/// The passes of a chip with the two that follow each, once each, in order: what is moved behind them is counted by these.
template <class = void>
[[nodiscard]] light_vector<std::size_t> passes_in_turn(const schedule::table& t, std::size_t chip) {
  light_vector<std::size_t> stages, made;
  const auto add = [](light_vector<std::size_t>& to, std::size_t word) {
    const auto at = algorithms::lower_bound(to.begin(), to.end(), word);
    if (at == to.end() || *at != word) to.insert(at, word);
  };
  for (const schedule::placed& o : t.rows[chip]) add(stages, o.stage);
  const auto number_of = [&](std::size_t stage) { return static_cast<std::size_t>(algorithms::lower_bound(stages.begin(), stages.end(), stage) - stages.begin()); };
  for (std::size_t i = 0; i < t.rows[chip].size(); ++i) {
    const plan::counted_moves moves = plan::moves_behind(t.rows[chip], i, number_of);
    std::size_t word = number_of(t.rows[chip][i].stage) * schedule::pass_count + static_cast<std::size_t>(moves.behind);
    for (const plan::following_pass& p : moves.before) word = (word * (stages.size() + 1) + p.stage + 1) * schedule::pass_count + static_cast<std::size_t>(p.kind);
    add(made, word);
  }
  return made;
}

/// The moves in each step of a table.
template <class = void>
[[nodiscard]] plan::moves_by_step moves_by_step(const schedule::table& t, const light_vector<run::moves_of_stage>& moves) {
  plan::moves_by_step made(t.steps());
  for (const run::moves_of_stage& of : moves) {
    for (const run::stage_move& m : of.all) made[m.step].push_back({of.stage, of.chip, m.kind});
  }
  return made;
}

template <class = void>
[[nodiscard]] schedule_waits waits_of(const plan::schedule_steps& steps, const schedule::stage_set& recompute, bool mails) {
  schedule_waits made{.waits = run::waits_of(steps.few, recompute, mails)};
  const light_vector<run::stage_waits> more = steps.bodies > 0 ? run::waits_of(steps.more, recompute, mails) : made.waits;
  const auto depths = [](const run::stage_waits& w) { return plan::ring_depths{w.arriving, w.values, w.returning, w.slopes, w.listed[0], w.listed[1], w.listed[2], w.listed[3]}; };
  made.depths.resize(steps.ipus);
  for (std::size_t i = 0; i < more.size(); ++i) {
    plan::ring_depths& all = made.depths[more[i].chip].emplace_back(depths(made.waits[i]));
    for (std::size_t r = 0; r < all.size(); ++r) all[r] += (depths(more[i])[r] - all[r]) * steps.bodies;
  }
  made.kinds_moved.resize(made.waits.size(), 0);
  if (mails) {
    made.loops = loops_of<>(steps.by_kind, steps.ipus, steps.stages);
    for (std::size_t chip = 0; chip < steps.ipus; ++chip) {
      const light_vector<std::size_t> in_turn = passes_in_turn<>(steps.few, chip);
      made.loops[chip].insert(made.loops[chip].end(), in_turn.begin(), in_turn.end());
    }
    return made;
  }
  const light_vector<run::moves_of_stage> moves = run::moves_of(steps.few, recompute);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    for (const run::stage_move& m : moves[i].all) made.kinds_moved[i] |= std::size_t{1} << m.kind;
  }
  plan::moves_by_step in_more;
  if (steps.bodies > 0) in_more = moves_by_step(steps.more, run::moves_of(steps.more, recompute));
  made.steps = plan::by_kind<>(steps.few, steps.more, steps.bodies, moves_by_step(steps.few, moves), std::move(in_more));
  made.loops = loops_of<>(made.steps, steps.ipus, steps.stages);
  return made;
}

}  // namespace ipuflow::train::impl
