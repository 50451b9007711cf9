// SPDX-License-Identifier: BSL-1.0
// Facts of networks that are planned, known before any chip is counted: the steps of schedules and what waits between them, the
// kinds of stages, and chains of blocks with their times. Each is worked out once and keeps its place.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/stage/block_chain.hpp>
#include <ipuflow/plan/predict/configuration.hpp>
#include <ipuflow/plan/predict/least_time.hpp>
#include <ipuflow/plan/predict/predicted_step.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>
#include <ipuflow/train/planning/configured.hpp>
#include <ipuflow/train/planning/planned_network.hpp>
#include <ipuflow/train/planning/planner_fault.hpp>
#include <ipuflow/train/planning/schedule_waits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <utility>

namespace ipuflow::train::impl {

template <class = void>
class basic_network_facts {
 public:
  basic_network_facts(const ipu::architecture& chip, light_vector<planned_network> networks)
      : chip_{chip}, networks_{std::move(networks)} {}

  [[nodiscard]] const ipu::architecture& chip() const { return chip_; }
  /// The network with a configuration's numbers.
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
  std::size_t number_of(const planned_network& planned) const { return static_cast<std::size_t>(&planned - networks_.data()); }

  /// The steps of a schedule of the catalogue. Throws if it is not for these numbers of chips, stages and micro-batches.
  const plan::schedule_steps& steps_of(const plan::configuration& c, std::size_t stages_per_ipu) {
    const schedule::setup asked{
        .ipus = c.ipus, .stages_per_ipu = stages_per_ipu, .micro_batches = c.accumulation, .run_for = c.run_for};
    const light_vector numbers{asked.ipus, asked.stages_per_ipu, asked.micro_batches};
    auto* const found = steps_.try_emplace(std::tuple{c.schedule, c.run_for, numbers}).first;
    if (found->second == nullptr) found->second = &all_steps_.emplace_back(plan::steps_of(c.schedule, asked));
    throw_if(found->second->refused);
    return *found->second;
  }
  /// The steps of another schedule, which are kept, too.
  const plan::schedule_steps& add(schedule::table t) { return all_steps_.emplace_back(plan::steps_of<>(std::move(t))); }

  const schedule_waits& waits_of(const plan::configuration& c, const plan::schedule_steps& steps) {
    const bool mails = plan::is_free_of_steps(c, steps);
    const schedule_waits*& found = waits_.try_emplace(std::tuple{&steps, c.recompute, mails}).first->second;
    if (found == nullptr) found = &all_waits_.emplace_back(impl::waits_of(steps, c.recompute, mails));
    return *found;
  }

  const light_vector<std::size_t>& kind_of(const planned_network& planned, nn::block_range blocks, nn::inputs_enter inputs) {
    auto* const found = kinds_.try_emplace(std::tuple{&planned, blocks.first, blocks.last}).first;
    if (found->second == nullptr) found->second = &all_kinds_.emplace_back(planned.network.kind_of(blocks, inputs));
    return *found->second;
  }

  /// The blocks of a network with their times.
  const light_vector<plan::chain_block>& chain_of(const plan::configuration& c, const planned_network& planned) {
    const double memory = c.memory_proportion.mean();  // blocks stand on no chip yet
    const auto bits = std::bit_cast<std::uint64_t>(memory);
    auto* const found = chains_.try_emplace(std::tuple{&planned, c.run_for, c.micro_batch, c.half_partials, bits}).first;
    if (found->second == nullptr) {
      plan::lowering_options how{
          .samples = c.micro_batch, .training = c.run_for == mode::training, .parameters = numbers_of(c).parameters};
      how.where.memory_proportion = memory, how.where.half_partials = c.half_partials;
      found->second = &all_chains_.emplace_back(nn::block_chain(planned.network, chip_, how));
    }
    return *found->second;
  }

  /// The time of the chip that works longest for a micro-batch, by the times of blocks, in any stages.
  std::size_t least_time(const plan::configuration& c, const planned_network& planned, const plan::schedule_steps& steps) {
    const light_vector<plan::chain_block>& blocks = chain_of(c, planned);
    auto* const found = least_times_.try_emplace(std::tuple{&steps, &blocks}).first;
    if (found->second == 0) found->second = plan::least_time<>(blocks, steps);
    return found->second;
  }

 private:
  ipu::architecture chip_;
  light_vector<planned_network> networks_;
  std::deque<plan::schedule_steps> all_steps_;
  std::deque<schedule_waits> all_waits_;
  std::deque<light_vector<std::size_t>> all_kinds_;
  std::deque<light_vector<plan::chain_block>> all_chains_;
  using chain = light_vector<plan::chain_block>;
  flat_map<std::tuple<std::string, mode, light_vector<std::size_t>>, const plan::schedule_steps*> steps_;
  flat_map<std::tuple<const plan::schedule_steps*, schedule::stage_set, bool>, const schedule_waits*> waits_;
  flat_map<std::tuple<const planned_network*, std::size_t, std::size_t>, const light_vector<std::size_t>*> kinds_;
  flat_map<std::tuple<const planned_network*, mode, std::size_t, bool, std::size_t>, const chain*> chains_;
  flat_map<std::tuple<const plan::schedule_steps*, const chain*>, std::size_t> least_times_;
};
using network_facts = basic_network_facts<>;

}  // namespace ipuflow::train::impl
