// SPDX-License-Identifier: BSL-1.0
// The numbers of a stage's layers on tiles: trained tensors with their gradients, and running state. Replicas may keep a part of
// a tensor each; its whole is then put together for every layer that reads it, and lives no longer than that.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/ipu/ops/replica_parts.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/stage/stage_plan.hpp>
#include <ipuflow/plan/lowered.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// Makes them layer by layer and notes in `to` what of them others must know.
template <class = void>
class basic_stage_numbers {
 public:
  basic_stage_numbers(ipu::graph& g, const plan::lowering_options& o, plan::lowered& to) : g_{g}, o_{o}, to_{to} {}

  /// Those of one step, in the order of the model.
  [[nodiscard]] layer_numbers make(const step_plan& step, const ipu::name_text& name, stored_weights place = {}) {
    layer_numbers n;
    const std::size_t weights = step.facts.parameters - step.facts.biases;
    if (weights > 0) n.weights = make_trained(name, " weights", weights, step.parameters_begin, n.d_weights, std::move(place));
    if (step.facts.biases > 0)
      n.biases = make_trained(name, " biases", step.facts.biases, step.parameters_begin + weights, n.d_biases);
    if (step.facts.state == 0) return n;
    n.state = make_variable(name, " state", ipu::element_type::f32, step.facts.state);
    to_.state.push_back({n.state, step.state_begin});
    return n;
  }

  /// A pass of a layer, and before it what puts together the tensors that it reads.
  [[nodiscard]] ipu::step with_wholes(ipu::step pass) const {
    if (!o_.shards.weights) return pass;
    flat_set<std::size_t> read;
    ipu::collect_read(g_, pass, read);
    ipu::step made;
    for (const plan::trained_tensor& t : to_.parameters) {
      if (t.part && read.contains(t.value.index)) made.then(ipu::gather_parts(g_, *t.part, t.value, o_.shards.replicas));
    }
    made.then(std::move(pass));
    return made;
  }

 private:
  ipu::variable_id make_variable(ipu::name_text name, std::string_view what, ipu::element_type type, std::size_t n) {
    name += what;
    return g_.add_variable(name, type, n, spread(g_, type, n, o_.where));
  }

  ipu::variable_id make_trained(ipu::name_text name, std::string_view what, std::size_t count, std::size_t first,
                                ipu::variable_id& gradient, stored_weights place = {}) {
    const bool cut = o_.shards.cuts(count);
    const std::size_t kept = cut ? ipu::part_size(count, o_.shards.replicas) : count;
    name += what;
    plan::trained_tensor made{.first = first, .order = place.order};
    if (place.map.empty()) place.map = spread(g_, o_.parameters, count, o_.where);
    if (cut && o_.shards.weights) {
      made.value = g_.add_temporary(name, o_.parameters, count, std::move(place.map));
      made.part = make_variable(name, " part", o_.parameters, kept);
    } else {
      made.value = g_.add_variable(name, o_.parameters, count, std::move(place.map));
    }
    if (o_.training) {
      const bool in_parts = cut && o_.shards.gradients;
      name += " gradient";
      made.gradient = gradient = g_.add_variable(name, accumulator(), in_parts ? kept : count,
                                                 in_parts ? spread(g_, o_.parameters, kept, o_.where) : g_[made.value].map());
    }
    to_.parameters.push_back(made);
    return made.value;
  }

  /// Of the tensor that is made next.
  [[nodiscard]] ipu::element_type accumulator() const {
    const std::size_t next = to_.parameters.size();
    return next < o_.accumulators.size() ? o_.accumulators[next] : ipu::element_type::f32;
  }

  ipu::graph& g_;
  const plan::lowering_options& o_;
  plan::lowered& to_;
};
using stage_numbers = basic_stage_numbers<>;

}  // namespace impl

}  // namespace ipuflow::nn
