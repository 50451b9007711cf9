// SPDX-License-Identifier: BSL-1.0
// Plans of a network on chips: each chip that a configuration needs is counted once, whatever its place in the pipeline, and kept; all
// else is arithmetic. So the first plan takes as long as the network's different stages take to be counted, and others no time.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/nn/stage/block_chain.hpp>
#include <ipuflow/plan/partition/balance.hpp>
#include <ipuflow/plan/predict/prediction.hpp>
#include <ipuflow/run/chips/stage_waits.hpp>
#include <ipuflow/train/planning/count_chip.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace ipuflow::train {

/// A network with the numbers that it is planned for: its data are those of its type.
struct planned_network {
  plan::numbers precision = plan::numbers::f32_32;
  bool bytes_in = false;
  nn::network_on_tiles network;
  plan::counted_chip (*count)(const void* optimiser, const cut_network&, const schedule::table&, std::size_t chip, const options&,
                              const on::chips&, number_types) = nullptr;
  run::chips_profile (*count_all)(const void* optimiser, const cut_network&, const schedule::table&, const options&, const on::chips&,
                                  number_types) = nullptr;
  std::shared_ptr<const void> optimiser{};
};

/// A network that is trained by this optimiser, as a choice of a planner.
template <class P, class Optimiser>
[[nodiscard]] planned_network planned(const P& network, plan::numbers precision, const Optimiser& optimiser, bool bytes_in = false) {
  return {precision, bytes_in, nn::network_on_tiles{network},
          [](const void* by, const cut_network& of, const schedule::table& t, std::size_t chip, const options& o, const on::chips& where,
             number_types numbers) { return count_chip(of, t, chip, *static_cast<const Optimiser*>(by), o, where, numbers); },
          [](const void* by, const cut_network& of, const schedule::table& t, const options& o, const on::chips& where, number_types numbers) {
            return count_step(of, t, *static_cast<const Optimiser*>(by), o, where, numbers);
          },
          std::make_shared<const Optimiser>(optimiser)};
}

enum class planner_wrong : unsigned char { nothing, no_network, stages, cuts };

/// `got` and `limit` are numbers of stages.
using planner_fault = fault<planner_wrong, fixed_string<40>>;

template <class = void>
constexpr message_text sentence(const planner_fault& f) {
  switch (f.kind) {
    case planner_wrong::nothing:
      break;
    case planner_wrong::no_network:
      return words("ipuflow: the planner was given no network of precision ", f.where.view(), "; give train::planned(network, precision, optimiser) of it");
    case planner_wrong::stages:
      return words("ipuflow: the schedule '", f.where.view(), "' has ", f.limit, " stages and the network is cut into ", f.got, "; give ",
                   f.limit > 0 ? f.limit - 1 : 0, " cuts");
    case planner_wrong::cuts:
      return words("ipuflow: a stage of the plan begins with block ", f.got, " of ", f.limit, "; cuts rise from block to block");
  }
  return {};
}

namespace impl {

/// All that the program of a chip depends on.
struct chip_question {
  std::vector<std::size_t> words{};

  friend auto operator<=>(const chip_question&, const chip_question&) = default;
};

}  // namespace impl

template <class = void>
class basic_planner {
 public:
  basic_planner(const ipu::architecture& chip, std::vector<planned_network> networks) : chip_{chip}, networks_{std::move(networks)} {}
  basic_planner(basic_planner&&) noexcept = default;
  basic_planner(const basic_planner&) = delete;
  basic_planner& operator=(const basic_planner&) = delete;

  /// The step of a configuration.
  [[nodiscard]] plan::prediction operator()(const plan::configuration& c) {
    const plan::schedule_steps& steps = steps_of(c);
    const planned_network& planned = network_of(c);
    throw_if(verify(c, steps, planned));
    std::vector<const plan::counted_chip*> chips;
    for (std::size_t chip = 0; chip < steps.ipus; ++chip) chips.push_back(&chip_of(c, steps, planned, chip));
    return plan::predict(c, steps, chips, system_of(c));
  }

  /// The same step counted as a whole by the engine, of all chips at once: what a plan is held to.
  [[nodiscard]] run::chips_profile counted(const plan::configuration& c) const {
    const planned_network& planned = network_of(c);
    schedule::table t = plan::table_of(c.schedule, setup_of(c));
    throw_if(t.refused);
    if (c.recompute && t.recompute == schedule::recomputation::none) t.recompute = schedule::recomputation::and_backpropagate;
    const cut_network of{planned.network, c.cuts};
    return planned.count_all(planned.optimiser.get(), of, t, options_of(c), back_end_of(c), numbers_of(c));
  }

  /// The first blocks of stages, one on each IPU of a configuration, the longest as short as it can be.
  [[nodiscard]] std::vector<std::size_t> balanced(const plan::configuration& c) {
    const planned_network& planned = network_of(c);
    const auto [found, added] = chains_.try_emplace(std::tuple{&planned, c.micro_batch, c.half_partials});
    if (added) {
      plan::lowering_options how{.samples = c.micro_batch, .parameters = numbers_of(c).parameters};
      how.where.memory_proportion = c.memory_proportion, how.where.half_partials = c.half_partials;
      found->second = &all_chains_.emplace_back(nn::block_chain(planned.network, chip_, how));
    }
    if (c.ipus < 2) return {};
    const auto cut = plan::balance(*found->second, {.stages = c.ipus});
    return {cut.cuts.begin(), cut.cuts.end()};
  }

  [[nodiscard]] const ipu::architecture& chip() const { return chip_; }
  [[nodiscard]] const nn::network_on_tiles& network(const plan::configuration& c) const { return network_of(c).network; }
  /// Chips that have been counted so far.
  [[nodiscard]] std::size_t counted_chips() const { return counted_.size(); }

 private:
  static schedule::setup setup_of(const plan::configuration& c) {
    const std::size_t stages = c.cuts.size() + 1;
    return {.ipus = c.ipus, .stages_per_ipu = stages > c.ipus && c.ipus > 0 && stages % c.ipus == 0 ? stages / c.ipus : 0, .micro_batches = c.accumulation};
  }
  const plan::schedule_steps& steps_of(const plan::configuration& c) {
    const auto [found, added] = steps_.try_emplace(std::pair{c.schedule, std::vector<std::size_t>{c.ipus, c.cuts.size(), c.accumulation}});
    if (added) {
      const bool single = c.ipus == 1 && c.cuts.empty();  // one stage has no schedule: its passes follow each other
      found->second = &all_steps_.emplace_back(plan::steps_of(single ? "1f1b" : std::string_view{c.schedule}, setup_of(c)));
    }
    throw_if(found->second->refused);
    return *found->second;
  }
  const planned_network& network_of(const plan::configuration& c) const {
    for (const planned_network& n : networks_) {
      if (n.precision == c.precision && n.bytes_in == c.bytes_in) return n;
    }
    planner_fault none{.kind = planner_wrong::no_network};
    none.where += plan::name_of(c.precision);
    if (c.bytes_in) none.where += " with bytes";
    throw_if(none);
    return networks_.front();
  }

  static planner_fault verify(const plan::configuration& c, const plan::schedule_steps& steps, const planned_network& planned) {
    const fixed_string<40> schedule{c.schedule.substr(0, 40)};
    if (c.cuts.size() + 1 != steps.stages) return {planner_wrong::stages, c.cuts.size() + 1, steps.stages, schedule};
    for (std::size_t i = 0; i < c.cuts.size(); ++i) {
      if (c.cuts[i] <= (i == 0 ? 0 : c.cuts[i - 1]) || c.cuts[i] >= planned.network.blocks())
        return {planner_wrong::cuts, c.cuts[i], planned.network.blocks(), {}};
    }
    return {};
  }

  ipu::chip_system system_of(const plan::configuration& c) const {
    return ipu::pod(chip_, impl::chips_needed(c.ipus, c.replicas));
  }
  static options options_of(const plan::configuration& c) {
    return {.micro_batch = c.micro_batch,
            .device_iterations = c.device_iterations,
            .replicas = c.replicas,
            .parameters = c.precision == plan::numbers::f16_16 ? rounding::stochastic : rounding::nearest,
            .shard_optimiser = c.shard_optimiser,
            .shard_gradients = c.shard_gradients,
            .shard_weights = c.shard_weights};
  }
  on::chips back_end_of(const plan::configuration& c) const {
    const auto kept = [](bool off) { return off ? run::kept_in::streaming_memory : run::kept_in::as_scheduled; };
    return {.system = system_of(c),
            .prefetch = c.prefetch,
            .host_time = c.host_time,
            .call_time = c.call_time,
            .io_tiles = c.io_tiles,
            .activations = kept(c.activations_off_chip),
            .weights = kept(c.weights_off_chip),
            .optimiser_state = kept(c.optimiser_off_chip),
            .accumulators = kept(c.accumulators_off_chip),
            .memory_proportion = c.memory_proportion,
            .half_partials = c.half_partials,
            .allow_out_of_memory = true};
  }
  static number_types numbers_of(const plan::configuration& c) {
    const auto type = c.precision == plan::numbers::f16_16 ? ipu::element_type::f16 : ipu::element_type::f32;
    return {type, type};
  }

  const plan::counted_chip& chip_of(const plan::configuration& c, const plan::schedule_steps& steps, const planned_network& planned, std::size_t chip) {
    const std::vector<run::stage_waits>& waits = waits_of(c, steps);
    const cut_network of{planned.network, c.cuts};
    impl::chip_question asked;
    const auto add = [&](auto... n) { (asked.words.push_back(static_cast<std::size_t>(n)), ...); };
    add(&planned - networks_.data(), c.micro_batch, c.replicas, c.recompute, c.half_partials, c.io_tiles, c.memory_proportion * 1e6);
    add(c.optimiser_off_chip, c.weights_off_chip, c.accumulators_off_chip, c.activations_off_chip, c.shard_optimiser, c.shard_gradients, c.shard_weights);
    add(std::min(c.accumulation, 4 * steps.ipus));  // few micro-batches are no loop, and variables live longer in one
    for (const run::stage_waits& w : waits) {
      if (w.chip != chip) continue;
      add(w.arriving, w.values > 0, w.returning, w.slopes, w.has_place_beside, w.has_place_beside_back, w.recomputes, w.is_staged);
      add(w.stage == 0, w.stage + 1 == steps.stages);
      const std::vector<std::size_t>& kind = kind_of(planned, of.range(w.stage), of.inputs);
      asked.words.insert(asked.words.end(), kind.begin(), kind.end());
    }
    const auto [found, added] = counted_.try_emplace(std::move(asked));
    if (added) {
      plan::configuration once = c;
      once.device_iterations = 1, once.call_time = {}, once.host_time = {};
      schedule::table few = steps.few;
      if (c.recompute && few.recompute == schedule::recomputation::none) few.recompute = schedule::recomputation::and_backpropagate;
      found->second = &all_counted_.emplace_back(planned.count(planned.optimiser.get(), of, few, chip, options_of(once), back_end_of(once), numbers_of(c)));
    }
    return *found->second;
  }
  const std::vector<std::size_t>& kind_of(const planned_network& planned, nn::block_range blocks, nn::inputs_enter inputs) {
    const auto [found, added] = kinds_.try_emplace(std::tuple{&planned, blocks.first, blocks.last});
    if (added) found->second = &all_kinds_.emplace_back(planned.network.kind_of(blocks, inputs));
    return *found->second;
  }
  const std::vector<run::stage_waits>& waits_of(const plan::configuration& c, const plan::schedule_steps& steps) {
    const auto [found, added] = waits_.try_emplace(std::pair{&steps, c.recompute});
    if (added) found->second = &all_waits_.emplace_back(run::waits_of(steps.few, c.recompute));
    return *found->second;
  }

  ipu::architecture chip_;
  std::vector<planned_network> networks_;
  // What has been worked out once, in places that stay, and where it is by what it was worked out for
  std::deque<plan::schedule_steps> all_steps_;
  std::deque<std::vector<run::stage_waits>> all_waits_;
  std::deque<std::vector<std::size_t>> all_kinds_;
  std::deque<std::vector<plan::chain_block>> all_chains_;
  std::deque<plan::counted_chip> all_counted_;
  flat_map<std::pair<std::string, std::vector<std::size_t>>, const plan::schedule_steps*> steps_;
  flat_map<std::pair<const plan::schedule_steps*, bool>, const std::vector<run::stage_waits>*> waits_;
  flat_map<std::tuple<const planned_network*, std::size_t, std::size_t>, const std::vector<std::size_t>*> kinds_;
  flat_map<std::tuple<const planned_network*, std::size_t, bool>, const std::vector<plan::chain_block>*> chains_;
  flat_map<impl::chip_question, const plan::counted_chip*> counted_;
};
using planner = basic_planner<>;

}  // namespace ipuflow::train
