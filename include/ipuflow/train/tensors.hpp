// SPDX-License-Identifier: BSL-1.0
// The offsets of parameters in a model: all stages one after the other, in each its layers, in each its weights and
// then its biases. Stages follow the order of the blocks, so the order does not depend on how a pipeline is grouped.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/graph/cut.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>
#include <ipuflow/nn/stage/ties.hpp>
#include <ipuflow/train/optimisers/groups.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace ipuflow::train::impl {

/// The beginnings of the parameters and the state of each part of a pipeline: of each stage, or of each seat.
template <std::size_t Parts>
struct part_offsets {
  std::size_t values[Parts + 1]{};
  std::size_t state[Parts + 1]{};

  /// Puts a part behind those before it.
  template <class Program>
  constexpr void add(std::size_t part) {
    values[part + 1] = values[part] + Program::parameter_count;
    state[part + 1] = state[part] + Program::state_count;
  }
  [[nodiscard]] constexpr std::size_t all_values() const { return values[Parts]; }
  [[nodiscard]] constexpr std::size_t all_state() const { return state[Parts]; }
};

/// Calls `visit(std::integral_constant<std::size_t, stage>)` for every stage.
template <class P, class Visit>
constexpr void for_each_stage(Visit visit) {
  [&]<std::size_t... S>(std::index_sequence<S...>) {
    (visit(std::integral_constant<std::size_t, S>{}), ...);
  }(std::make_index_sequence<P::stage_count>{});
}

template <class P>
inline constexpr part_offsets<P::stage_count> offsets_of = [] {
  part_offsets<P::stage_count> offsets;
  for_each_stage<P>([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
    offsets.template add<nn::stage_program<P, S>>(S);
  });
  return offsets;
}();

/// In place of a parameter's number: none.
inline constexpr std::size_t no_parameter = static_cast<std::size_t>(-1);

/// Neighbouring parameters: a tensor, or a part of one.
struct piece {
  std::size_t stage = 0;
  std::size_t begin = 0;     ///< among all parameters
  std::size_t of_stage = 0;  ///< the same place, counted from the first parameter of the stage
  std::size_t count = 0;
  std::size_t replica = 0;  ///< who keeps the optimiser's state of it, if that is sharded
  std::size_t group = 0;    ///< of parameters, whose rule updates it
  accumulator_type accumulators = accumulator_type::of_precision;
  std::size_t copy_of = no_parameter;  ///< where the tensor begins that this is a copy of, if layers share it

  [[nodiscard]] constexpr bool is_copy() const { return copy_of != no_parameter; }
  friend bool operator==(const piece&, const piece&) = default;
};

/// A pipeline of layers outside of its types: its stages, where the numbers of each begin in a model, and weights that layers share.
struct network_layout {
  nn::pipeline_plan plan{};
  light_span<const std::size_t> values{};  ///< of each stage, and behind the last one
  light_span<const std::size_t> state{};
  light_span<const nn::tie> ties{};

  [[nodiscard]] constexpr std::size_t all_values() const { return values.back(); }
  [[nodiscard]] constexpr std::size_t all_state() const { return state.back(); }

  /// Calls `visit(stage, facts, first)` for the tensors of trained numbers in the order of the model; `first` is counted from the
  /// first parameter of the stage.
  template <class Visit>
  constexpr void each_tensor(Visit visit) const {
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
      for (const auto& step : plan.stages[stage].steps) {
        const std::size_t weights = step.facts.parameters - step.facts.biases;
        for (const bool biases : {false, true}) {
          const std::size_t count = biases ? step.facts.biases : weights;
          if (count == 0) continue;
          tensor_facts t{plan.block_of(step), step.whole_op, biases, count, {{count}, 1}};
          if (!biases && !step.facts.weight_extents.empty()) t.extents = step.facts.weight_extents;
          visit(stage, t, step.parameters_begin + (biases ? weights : 0));
        }
      }
    }
  }
  /// Calls `visit(table, copy, count)` for weights that layers share, with their places among all parameters.
  template <class Visit>
  constexpr void each_tie(Visit visit) const {
    for (const nn::tie& t : ties) visit(values[t.table_stage] + t.table_first, values[t.copy_stage] + t.copy_first, t.count);
  }
};

template <class P>
inline constexpr network_layout layout_of{nn::plan_of_pipeline<P>,
                                          {offsets_of<P>.values, P::stage_count + 1},
                                          {offsets_of<P>.state, P::stage_count + 1},
                                          nn::ties_of<P>};

/// All tensors of trained numbers, in the groups of an optimiser: a copy in that of its table.
template <class = void>
[[nodiscard]] light_vector<piece> tensors_of(const network_layout& network, const tensor_grouping& groups = {}) {
  light_vector<piece> all;
  network.each_tensor([&](std::size_t stage, const tensor_facts& facts, std::size_t first) {
    const grouped_tensor in = groups(facts);
    all.push_back({stage, network.values[stage] + first, first, facts.elements, 0, in.group, in.accumulators});
  });
  network.each_tie([&](std::size_t table, std::size_t copy, std::size_t) {
    const auto at = [&](std::size_t begin) { return algorithms::find_if(all.begin(), all.end(), [&](const piece& p) { return p.begin == begin; }); };
    at(copy)->copy_of = table;
    at(copy)->group = at(table)->group;
    at(copy)->accumulators = at(table)->accumulators;
  });
  return all;
}

/// In place of a replica: all of them.
inline constexpr std::size_t each_replica = static_cast<std::size_t>(-1);

/// The same numbers dealt out to replicas: each tensor cut into as many parts or, for optimisers that look at whole
/// tensors, each to the replica that has least so far. Tensors of less than `at_least` numbers stay with each replica.
template <class = void>
[[nodiscard]] inline light_vector<piece> sharded(const light_vector<piece>& tensors, std::size_t replicas, bool whole_tensors,
                                                std::size_t at_least = 0) {
  light_vector<piece> all;
  light_vector<std::size_t> has(replicas);
  for (const piece& tensor : tensors) {
    if (replicas > 1 && tensor.count < at_least) {
      all.push_back(tensor);
      all.back().replica = each_replica;
      continue;
    }
    if (whole_tensors) {
      std::size_t least = 0;
      for (std::size_t r = 1; r < replicas; ++r) least = has[r] < has[least] ? r : least;
      has[least] += tensor.count;
      all.push_back(tensor);
      all.back().replica = least;
      continue;
    }
    for (std::size_t r = 0; r < replicas; ++r) {
      const std::size_t from = tensor.count * r / replicas;
      const std::size_t to = tensor.count * (r + 1) / replicas;
      if (to > from) all.push_back({tensor.stage, tensor.begin + from, tensor.of_stage + from, to - from, r, tensor.group, tensor.accumulators});
    }
  }
  return all;
}

}  // namespace ipuflow::train::impl

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow::train::impl {
extern template light_vector<piece> tensors_of<>(const network_layout&, const tensor_grouping&);
}
#endif
