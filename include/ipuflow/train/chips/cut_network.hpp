// SPDX-License-Identifier: BSL-1.0
// A training on chips whose stages, numbers and schedule are chosen while the program runs: what a session of the same description
// would do in a step, counted. Nothing of it is compiled anew for another cut, so a planner can look at many.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/nn/stage/network_on_tiles.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/train/chips/session_on_chips.hpp>
#include <ipuflow/train/chips/stage.hpp>
#include <ipuflow/train/chips/update.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/planning/planner_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::train {

/// The types of trained numbers and of the sums of their gradients: those of `precision`, as values.
struct number_types {
  ipu::element_type parameters = ipu::element_type::f32;
  ipu::element_type accumulators = ipu::element_type::f32;

  friend constexpr bool operator==(const number_types&, const number_types&) = default;
};

/// A network and the blocks that begin its stages but the first one.
struct cut_network {
  const nn::network_on_tiles& network;
  light_vector<std::size_t> cuts{};
  nn::inputs_enter inputs = nn::inputs_enter::where_read;

  [[nodiscard]] std::size_t stages() const { return cuts.size() + 1; }
  [[nodiscard]] nn::block_range range(std::size_t stage) const {
    return {stage == 0 ? 0 : cuts[stage - 1], stage < cuts.size() ? cuts[stage] : network.blocks()};
  }
  /// True if a stage has weights.
  [[nodiscard]] bool trains(std::size_t stage) const {
    const nn::block_range blocks = range(stage);
    return network.parameters_before(blocks.first) < network.parameters_before(blocks.last);
  }
  /// The other stages that have copies of this one's weights, or the weights that this one has copies of.
  [[nodiscard]] light_vector<std::size_t> tied_to(std::size_t stage) const {
    light_vector<std::size_t> made;
    for (const nn::copied_weights& c : network.copies()) {
      const std::size_t table = stage_of(c.table), copy = stage_of(c.copy);
      if (table == copy || (table != stage && copy != stage)) continue;
      const std::size_t other = table == stage ? copy : table;
      if (algorithms::find(made.begin(), made.end(), other) == made.end()) made.push_back(other);
    }
    return made;
  }

 private:
  [[nodiscard]] std::size_t stage_of(std::size_t parameter) const {
    std::size_t stage = 0;
    while (parameter >= network.parameters_before(range(stage).last)) ++stage;
    return stage;
  }
};

namespace impl {

/// The first fault of the cuts of a network into the stages of a schedule.
inline planner_fault verify_cuts(const cut_network& of, std::size_t stages) {
  if (of.stages() != stages) return {planner_wrong::stages, of.stages(), stages, {}};
  for (std::size_t i = 0; i < of.cuts.size(); ++i) {
    if (of.cuts[i] <= (i == 0 ? 0 : of.cuts[i - 1]) || of.cuts[i] >= of.network.blocks()) return {planner_wrong::cuts, of.cuts[i], of.network.blocks(), {}};
  }
  return {};
}

/// True if a chip has this stage, or one that is tied to it.
template <class = void>
[[nodiscard]] bool has_part_in(const cut_network& of, const schedule::roster& where, std::size_t chip, std::size_t stage) {
  const auto has = [&](std::size_t s) {
    const std::size_t seat = where.first_seat(s);
    return where.ipu_of(seat, 0) == chip || (where.crossed && where.ipu_of(seat, where.micro_batches - 1) == chip);
  };
  const light_vector<std::size_t> others = of.tied_to(stage);
  return has(stage) || algorithms::any_of(others.begin(), others.end(), has);
}

/// Lowers the stages of a cut network one by one, as they are asked for, each with the update of its weights.
template <class Optimiser>
class cut_stages {
 public:
  cut_stages(const cut_network& of, const schedule::table& t, const Optimiser& optimiser, const options& o, const on::chips& where,
             number_types numbers)
      : of_{of},
        skipped_{static_cast<std::int32_t>(static_cast<std::uint32_t>(t.where.micro_batches * o.replicas - t.where.micro_batches / t.where.directions()))},
        numbers_{numbers},
        rule_{shared<const Optimiser>{optimiser}, o.scale.automatic ? 1 : o.scale.factor, o.parameters, o.seed},
        update_{.replicas = o.replicas,
                .shards = shards_state(o),
                .max_norm = o.max_grad_norm,
                .seats = t.where.seats(),
                .scale = o.scale,
                .shard_at_least = o.shard_at_least,
                .shard_weights = o.shard_weights,
                .shard_gradients = o.shard_gradients,
                .merges = where.merge_collectives} {}

  plan::lowered operator()(ipu::graph& g, std::size_t stage, const plan::lowering_options& asked) {
    plan::lowering_options o = with_numbers(asked);
    const nn::block_range range = of_.range(stage);
    plan::lowered made = of_.network.lower(g, range, o, of_.inputs);
    const std::size_t first = of_.network.parameters_before(range.first);
    for (plan::trained_tensor& t : made.parameters) note_copies(t, first + t.first);
    updates_.push_back({});
    if (!o.training) return made;
    for (const ipu::variable_id counter : made.counters) made.clear.then(skip_others(g, counter, skipped_));
    chips_update_options update = update_;
    update.where = o.where;
    update.offloads = o.optimiser_off_chip;
    update.first = first;
    updates_.back() = update_lowering<Optimiser>{g, update, rule_}(made);
    chips_update& last = updates_.back();
    made.before_update = std::move(last.before);
    made.clear.then(last.clear);
    made.told = last.told;
    made.update = std::move(last.program);
    return made;
  }

  /// A stage as its two ends alone.
  plan::lowered ends(ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    updates_.push_back({});
    plan::lowered made = of_.network.ends(g, of_.range(stage), with_numbers(o), of_.inputs);
    if (o.training && tells(stage)) tell_zeros(g, o.where, made);
    return made;
  }

  /// Of each stage in the order in which they were asked for.
  [[nodiscard]] const light_vector<chips_update>& updates() const { return updates_; }

 private:
  /// True if all stages are told of this one's gradients before their updates, or of the loss that it scales.
  [[nodiscard]] bool tells(std::size_t stage) const {
    return update_.looks_at_all() && (of_.trains(stage) || (update_.scale.automatic && stage + 1 == of_.stages()));
  }

  plan::lowering_options with_numbers(plan::lowering_options o) const {
    o.parameters = numbers_.parameters;
    if (numbers_.accumulators != ipu::element_type::f32) o.accumulators.assign(of_.network.tensors(), numbers_.accumulators);
    o.scales_loss = update_.scale.automatic;
    o.shards = update_.parts();
    return o;
  }

  /// The numbers that a stage tells the others before their updates, zeros where it is one of the ends of theirs alone.
  void tell_zeros(ipu::graph& g, const ipu::plan_options& where, plan::lowered& stage) const {
    const gradient_limit limit{.seats = update_.seats, .where = where};
    if (update_.scale.automatic) stage.told.push_back(tell_zero(g, "overflows", limit, stage.before_update));
    if (update_.limits_gradients()) stage.told.push_back(tell_zero(g, "squares", limit, stage.before_update));
  }

  void note_copies(plan::trained_tensor& t, std::size_t first) const {
    for (const nn::copied_weights& c : of_.network.copies()) {
      if (c.table == first) t.number = c.table;
      if (c.copy == first) t.copy_of = c.table;
    }
  }

  const cut_network& of_;
  std::int32_t skipped_;
  number_types numbers_;
  update_rule<Optimiser> rule_;
  chips_update_options update_;
  light_vector<chips_update> updates_{};
};

}  // namespace impl

/// The step of a session with these stages, counted without running it.
template <class Optimiser>
[[nodiscard]] run::chips_profile count_step(const cut_network& of, const schedule::table& t, const Optimiser& optimiser, const options& o,
                                            const on::chips& where, number_types numbers = {}) {
  throw_if(impl::verify_sharding(o));
  throw_if(impl::verify_cuts(of, t.where.stages));
  impl::cut_stages<Optimiser> stages(of, t, optimiser, o, where, numbers);
  const ipu::chip_system system = impl::system_for(where, impl::chips_needed(t.where.ipus, o.replicas));
  return run::on_chips(
             t, system, [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) { return stages(g, stage, how); },
             impl::run_options_of(t, o, where))
      .cost();
}

}  // namespace ipuflow::train
