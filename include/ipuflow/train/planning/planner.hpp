// SPDX-License-Identifier: BSL-1.0
// Plans of a network on chips: each chip that a configuration needs is counted once, whatever its place unless it shares weights, and kept;
// all else is arithmetic. So the first plan takes as long as the network's different stages take to be counted, and others no time.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/best.hpp>
#include <ipuflow/plan/predict/configuration_fault.hpp>
#include <ipuflow/plan/predict/fitting_cuts.hpp>
#include <ipuflow/plan/predict/least_recomputed.hpp>
#include <ipuflow/plan/predict/predicted_step.hpp>
#include <ipuflow/plan/predict/searched_table.hpp>
#include <ipuflow/train/planning/configured.hpp>
#include <ipuflow/train/planning/least_bytes.hpp>
#include <ipuflow/train/planning/network_facts.hpp>
#include <ipuflow/train/planning/planned_network.hpp>
#include <ipuflow/train/planning/planner_fault.hpp>
#include <ipuflow/train/planning/schedule_choice.hpp>
#include <ipuflow/train/planning/schedule_waits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace ipuflow::train {

/// Plans configurations. What it has counted it keeps, so one planner is for one thread at a time.
template <class = void>
class basic_planner {
 public:
  /// `headroom`: of each tile's memory, kept free by schedules that are searched for.
  basic_planner(const ipu::architecture& chip, light_vector<planned_network> networks, double headroom = plan::staging{}.headroom)
      : facts_{chip, std::move(networks)}, headroom_{headroom} { throw_if(plan::verify_headroom(headroom)); }
  basic_planner(basic_planner&&) noexcept = default;

  /// The step of a configuration.
  [[nodiscard]] plan::prediction operator()(const plan::configuration& c) { return plan_of(c, headroom_); }

  /// The same step counted as a whole by the engine, of all chips at once: what a plan is held to.
  [[nodiscard]] run::chips_profile counted(const plan::configuration& c) {
    throw_if(plan::verify(c));
    const planned_network& planned = facts_.network_of(c);
    const schedule::table t = timetable(c);
    throw_if(verify(c, t.where.stages, planned));
    return planned.count_all(planned.optimiser.get(), {planned.network, c.cuts}, t, impl::options_of(c), impl::chips_of(c, facts_.chip()), impl::numbers_of(c));
  }

  /// The timetable of a configuration: that of its schedule's name, or the one that was found for it.
  [[nodiscard]] schedule::table timetable(const plan::configuration& c) {
    const std::string& name = found_schedule(c);
    if (name.starts_with(plan::search)) return steps_of(c, stages_per_ipu(c), headroom_).few;
    schedule::table t = plan::table_of(name, {.ipus = c.ipus, .stages_per_ipu = stages_per_ipu(c), .micro_batches = c.accumulation, .run_for = c.run_for});
    throw_if(t.refused);
    return t;
  }

  /// The name of a configuration's schedule; of "search" that of the schedule of the catalogue that nothing found is faster than, or what
  /// was searched: "search, whole backwards" or "search, split backwards".
  [[nodiscard]] const std::string& found_schedule(const plan::configuration& c) {
    return c.schedule == plan::search ? searched_for(c, headroom_).name : c.schedule;
  }

  /// The stages of a network: of all partitions with which every chip fits, as it is counted, the one with the least longest stage, or of all
  /// if none fits. Stages that recompute, as configured or where their chip is too full, run forward twice; those that cannot with the
  /// schedule are not among the ones that do.
  [[nodiscard]] plan::chosen_stages balanced(plan::configuration c, const plan::staging& how = {}) {
    throw_if(plan::verify(c));
    const planned_network& planned = facts_.network_of(c);
    const plan::schedule_steps& steps = uncut(c, how);
    throw_if(schedule::verify_stages(c.recompute, steps.stages));
    auto* const found = balanced_.try_emplace(std::tuple{&steps, how.headroom, how.recompute, question_of(c, planned), c.recompute}).first;
    if (found->second == nullptr) found->second = &all_balanced_.emplace_back(stages_for(c, planned, steps, how));
    return *found->second;
  }

  /// The stages of a configuration that recompute if, beside its own, only those do whose chip would be too full: the ones of a chip with the
  /// least time of forward passes, or all where it is too full anyway.
  [[nodiscard]] schedule::stage_set recomputed_where_full(plan::configuration c, double headroom = plan::staging{}.headroom) {
    throw_if(plan::verify(c));
    const planned_network& planned = facts_.network_of(c);
    const plan::schedule_steps& steps = steps_of(c, stages_per_ipu(c), headroom);
    throw_if(verify(c, steps.stages, planned));
    if (impl::recomputing_in<>(steps.few, schedule::all_stages).empty()) return recomputing_in(c, steps);
    c.recompute = recomputing_in(c, steps);
    const cut_network of{planned.network, c.cuts};
    const light_vector<plan::chain_block>& blocks = facts_.chain_of(c, planned);
    light_vector<std::size_t> forward(steps.stages, 0);
    for (std::size_t s = 0; s < steps.stages; ++s)
      for (std::size_t b = of.range(s).first; b < of.range(s).last; ++b) forward[s] += blocks[b].forward;
    const light_vector<light_vector<std::size_t>> stages_of = plan::stages_of_chips(steps);
    plan::configuration with = c;
    for (std::size_t chip = 0; chip < steps.ipus; ++chip)
      c.recompute = plan::least_recomputed(stages_of[chip], forward, c.recompute, [&](const schedule::stage_set& again) {
        with.recompute = again;
        return fits(with, planned, steps, chip, headroom);
      });
    return c.recompute;
  }

  /// Of a configuration's stages that are to recompute those that do: none in inference, and none whose backwards its schedule splits in two,
  /// as they keep what they read. All where a schedule is searched for: for others another one is found.
  [[nodiscard]] schedule::stage_set recomputed(const plan::configuration& c) {
    throw_if(plan::verify(c));
    if (c.schedule == plan::search && c.run_for == mode::training) return c.recompute;
    const plan::schedule_steps& steps = steps_of(c, stages_per_ipu(c), headroom_);
    throw_if(verify(c, steps.stages, facts_.network_of(c)));
    return recomputing_in(c, steps);
  }

  /// The fastest configurations of those that a list of choices allows, each in balanced stages.
  [[nodiscard]] plan::best_found best(const plan::choices& of) {
    const auto predict = [&](const plan::configuration& c) { return plan_of(c, of.headroom); };
    const auto stages_of = [this](const plan::configuration& c, const plan::staging& how) { return balanced(c, how); };
    return plan::best(predict, stages_of, [this](const plan::configuration& c, const plan::staging& how) { return at_most(c, how); }, of);
  }

  [[nodiscard]] const ipu::architecture& chip() const { return facts_.chip(); }
  [[nodiscard]] const nn::network_on_tiles& network(const plan::configuration& c) const { return facts_.network_of(c).network; }
  /// Chips that have been counted so far.
  [[nodiscard]] std::size_t counted_chips() const { return counted_.size(); }

 private:
  static std::size_t stages_per_ipu(const plan::configuration& c) {
    const std::size_t stages = c.cuts.size() + 1;
    return stages > c.ipus && c.ipus > 0 && stages % c.ipus == 0 ? stages / c.ipus : 0;
  }
  static schedule::stage_set recomputing_in(const plan::configuration& c, const plan::schedule_steps& steps) {
    return c.schedule == plan::search ? c.recompute : impl::recomputing_in<>(steps.few, c.recompute);
  }
  /// The steps of a configuration without cuts; a schedule that is searched for is so when they are known.
  const plan::schedule_steps& uncut(plan::configuration& c, const plan::staging& how) {
    c.cuts.clear();
    if (c.schedule == plan::search) c.schedule = impl::usual_schedule(c.run_for, how.stages_per_ipu);
    return steps_of(c, how.stages_per_ipu, how.headroom);
  }
  /// Samples a second that a configuration does not exceed: no stage takes less than nine tenths of its blocks' times.
  double at_most(plan::configuration c, const plan::staging& how) {
    throw_if(plan::verify(c));
    const planned_network& planned = facts_.network_of(c);
    const plan::schedule_steps& steps = uncut(c, how);
    const double micro_batch = 0.9 * static_cast<double>(facts_.least_time(c, planned, steps));
    const double step = micro_batch * static_cast<double>(c.accumulation * c.device_iterations);
    return static_cast<double>(c.samples_per_step()) * facts_.chip().clock.value / step;
  }
  plan::prediction plan_of(const plan::configuration& c, double headroom) {
    throw_if(plan::verify(c));
    const plan::schedule_steps& steps = steps_of(c, stages_per_ipu(c), headroom);
    return predicted(c, steps, facts_.network_of(c));
  }
  const plan::schedule_steps& steps_of(const plan::configuration& c, std::size_t stages_per_ipu, double headroom) {
    if (c.schedule == plan::search) return *searched_for(c, headroom).steps;
    return facts_.steps_of(c, stages_per_ipu);
  }
  static planner_fault verify(const plan::configuration& c, std::size_t stages, const planned_network& planned) {
    planner_fault found = impl::verify_cuts({planned.network, c.cuts}, stages);
    if (found.kind == planner_wrong::stages) found.where = fixed_string<40>{c.schedule.substr(0, 40)};
    throw_if(schedule::verify_stages(c.recompute, stages));
    return found;
  }

  ipu::chip_system system_of(const plan::configuration& c) const { return impl::system_of(c, facts_.chip()); }
  impl::chip_question question_of(const plan::configuration& c, const planned_network& planned) const { return question_of(c, planned, c.memory_proportion); }
  impl::chip_question question_of(const plan::configuration& c, const planned_network& planned, const ipu::memory_proportions& memory) const {
    return impl::question_of(c, facts_.number_of(planned), memory);
  }
  const plan::counted_chip& chip_of(const plan::configuration& c, const plan::schedule_steps& steps, const planned_network& planned, std::size_t chip) {
    const auto& [waits, depths, kinds_moved, with_moves, loops] = facts_.waits_of(c, steps);
    const cut_network of{planned.network, c.cuts};
    impl::chip_question asked = question_of(c, planned, c.memory_proportion.of(chip));
    const auto add = [&](auto... n) { (asked.words.push_back(static_cast<std::size_t>(n)), ...); };
    const auto add_all = [&](const light_vector<std::size_t>& more) { asked.words.insert(asked.words.end(), more.begin(), more.end()); };
    add_all(loops[chip]);
    add_all(impl::told_question_of(c, of, steps));
    const auto here = algorithms::count_if(waits.begin(), waits.end(), [&](const run::stage_waits& w) { return w.chip == chip; });
    for (const run::stage_waits& w : waits) {
      if (w.chip != chip) continue;
      // The order in which values move, and so the time it takes, differs with these depths; a single stash scales by arithmetic
      add(w.arriving, here == 1 ? w.values > 0 : w.values, w.returning, w.slopes, impl::passes_of(steps.few, chip, w.stage), w.has_place_beside, w.has_place_beside_back, w.recomputes, w.is_staged);
      add(w.stage == 0, w.stage + 1 == steps.stages, steps.neighbours_of(w.stage), kinds_moved[static_cast<std::size_t>(&w - waits.begin())]);
      add_all(facts_.kind_of(planned, of.range(w.stage), of.inputs));
      for (const std::size_t other : of.tied_to(w.stage)) {  // is counted with it, over the links between them
        add(steps.ipus, chip, steps.ipu_of[other], steps.other_ipu_of[other]);
        add_all(facts_.kind_of(planned, of.range(other), of.inputs));
      }
    }
    auto* const found = counted_.try_emplace(std::move(asked)).first;
    if (found->second == nullptr) {
      plan::configuration once = c;
      once.device_iterations = 1, once.call_time = {}, once.host_time = {};
      found->second = &all_counted_.emplace_back(planned.count(planned.optimiser.get(), of, steps.few, chip, impl::options_of(once), impl::chips_of(once, facts_.chip()), impl::numbers_of(c)));
    }
    return *found->second;
  }
  plan::prediction predicted(const plan::configuration& c, const plan::schedule_steps& steps, const planned_network& planned) {
    throw_if(verify(c, steps.stages, planned));
    const counted_replica& all = replica_of(c, steps, planned);
    return plan::predict<>(c, steps, all.chips, system_of(c), all.memory, facts_.waits_of(c, steps).steps_with_moves());
  }

  /// The fastest schedule of a configuration that fits: of the catalogue, or one that was searched for with the costs of chips that were
  /// counted with its schedules.
  const impl::schedule_choice& searched_for(const plan::configuration& c, double headroom) {
    const planned_network& planned = facts_.network_of(c);
    auto* const known = searched_.try_emplace(std::tuple{question_of(c, planned), c.recompute, c.cuts, c.ipus, c.accumulation, impl::host_question_of(c), headroom}).first;
    if (known->second != nullptr) return *known->second;
    const auto steps = [&](const plan::configuration& with) -> const plan::schedule_steps* {
      try {
        const plan::schedule_steps& found = steps_of(with, stages_per_ipu(c), headroom);
        return verify(with, found.stages, planned) ? nullptr : &found;
      } catch (const rejected<schedule::schedule_fault>&) {
        return nullptr;
      }
    };
    const auto searched = [&](const plan::configuration& with, const plan::schedule_steps& of, bool split) {
      light_vector<const plan::schedule_steps*> made;
      for (schedule::table& t : plan::searched_tables<>(with, of, replica_of(with, of, planned).chips, system_of(c), split, headroom))
        made.push_back(&facts_.add(std::move(t)));
      return made;
    };
    impl::schedule_choice best = impl::choose_schedule(
        c, steps, [&](const plan::configuration& with, const plan::schedule_steps& of) { return predicted(with, of, planned); }, searched, headroom);
    if (best.steps == nullptr) throw_if(planner_fault{planner_wrong::no_schedule, c.cuts.size() + 1, c.ipus, {}});
    return *(known->second = &all_searched_.emplace_back(std::move(best)));
  }

  /// The chips of a replica, and their fullest tiles.
  struct counted_replica {
    light_vector<const plan::counted_chip*> chips{};
    light_vector<plan::chip_memory> memory{};
  };
  const counted_replica& replica_of(const plan::configuration& c, const plan::schedule_steps& steps, const planned_network& planned) {
    auto* const found = replicas_.try_emplace(std::tuple{&steps, question_of(c, planned), c.recompute, c.cuts}).first;
    if (found->second == nullptr) {
      counted_replica made;
      for (std::size_t chip = 0; chip < steps.ipus; ++chip) {
        made.chips.push_back(&chip_of(c, steps, planned, chip));
        made.memory.push_back(plan::fullest_tile<>(*made.chips.back(), facts_.waits_of(c, steps).depths[chip]));
      }
      found->second = &all_replicas_.emplace_back(std::move(made));
    }
    return *found->second;
  }
  bool may_fit(const plan::configuration& c, const planned_network& planned, const plan::schedule_steps& steps, std::size_t chip,
               double headroom) {
    const ipu::architecture& of = facts_.chip();
    const light_vector<run::stage_waits>& waits = facts_.waits_of(c, steps).waits;
    return impl::least_bytes<>(c, planned, facts_.chain_of(c, planned), waits, chip, of.tiles) <= proportion_of(of.tile_memory, 1 - headroom).value;
  }
  bool fits(const plan::configuration& c, const planned_network& planned, const plan::schedule_steps& steps, std::size_t chip, double headroom) {
    if (!may_fit(c, planned, steps, chip, headroom)) return false;
    plan::prediction one{.memory = light_vector<plan::chip_memory>(1), .tile_memory = facts_.chip().tile_memory, .code_region = facts_.chip().code_region};
    one.memory[0] = plan::fullest_tile<>(chip_of(c, steps, planned, chip), facts_.waits_of(c, steps).depths[chip]);
    return !plan::verify_fits(one, headroom);
  }
  plan::chosen_stages stages_for(const plan::configuration& c, const planned_network& planned, const plan::schedule_steps& steps, const plan::staging& how) {
    const bool may = !impl::recomputing_in<>(steps.few, schedule::all_stages).empty();  // if not, no stage is longer for it, or needs less
    const auto which = may ? how.recompute : plan::recomputing::as_configured;
    const schedule::stage_set again = impl::recomputing_in<>(steps.few, c.recompute);
    plan::configuration with = c;
    with.recompute = again;
    if (steps.stages < 2) {
      const bool fit = fits(with, planned, steps, 0, how.headroom);
      if (fit || which == plan::recomputing::as_configured) return {{}, again, fit};
      with.recompute = schedule::all_stages;
      return {{}, with.recompute, fits(with, planned, steps, 0, how.headroom)};
    }
    const auto enough = [&](const light_vector<std::size_t>& cuts, const schedule::stage_set& recompute, std::size_t chip) {
      with.cuts = cuts, with.recompute = recompute;
      return fits(with, planned, steps, chip, how.headroom);
    };
    const auto may_be_enough = [&](const light_vector<std::size_t>& cuts, const schedule::stage_set& recompute, std::size_t chip) {
      with.cuts = cuts, with.recompute = recompute;
      return may_fit(with, planned, steps, chip, how.headroom);
    };
    plan::fitting_cuts found = plan::cuts_that_fit(facts_.chain_of(c, planned), plan::stages_of_chips(steps), may_be_enough, enough, again, which);
    return {std::move(found.cuts), found.recompute, found.fit};
  }

  impl::network_facts facts_;
  double headroom_;
  // What has been worked out once, in places that stay, and where it is by what it was worked out for; nowhere if that ended with an error
  std::deque<plan::chosen_stages> all_balanced_;
  std::deque<plan::counted_chip> all_counted_;
  std::deque<counted_replica> all_replicas_;
  std::deque<impl::schedule_choice> all_searched_;
  flat_map<std::tuple<const plan::schedule_steps*, double, plan::recomputing, impl::chip_question, schedule::stage_set>, const plan::chosen_stages*> balanced_;
  flat_map<impl::chip_question, const plan::counted_chip*> counted_;
  flat_map<std::tuple<impl::chip_question, schedule::stage_set, light_vector<std::size_t>, std::size_t, std::size_t, light_vector<std::size_t>, double>, const impl::schedule_choice*> searched_;
  flat_map<std::tuple<const plan::schedule_steps*, impl::chip_question, schedule::stage_set, light_vector<std::size_t>>, const counted_replica*> replicas_;
};
using planner = basic_planner<>;

}  // namespace ipuflow::train
