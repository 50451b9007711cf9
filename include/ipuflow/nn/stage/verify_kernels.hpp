// SPDX-License-Identifier: BSL-1.0
// Checks that the layers of a stage have all that its plan asks of them on the host, before any kernel is called: the
// first thing that a layer lacks is one sentence, and not the compiler's account of a call that fails deep inside.
#pragma once

#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/stage/step_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// The names of the blocks of a pipeline.
template <class P>
inline constexpr auto block_names = P::names();

/// The op of a step, of this type; copies stand in no block.
constexpr layer_place place_of(const step_plan& step, light_span<const std::string_view> blocks, const type_text& type) {
  return {fixed_string<60>{step.block < blocks.size() ? blocks[step.block] : std::string_view{}}, step.op, type};
}

/// "forward(layer, nn::forward_pass<float, nn::in<shape<3>>, nn::out<shape<3>>>)"
template <class Pass>
constexpr fixed_string<160> call_text(std::string_view function) {
  fixed_string<160> text{function};
  text += "(layer, ";
  text += type_name<Pass>();
  text += ")";
  return text;
}

/// The fault of the facts of a step; of which op, is for the caller to say.
constexpr nn_fault verify_facts(const plan_view& plan, const step_plan& step) {
  const layer_facts& known = step.facts;
  if (known.biases > known.parameters) return {nn_wrong::too_many_biases, known.biases, known.parameters};
  if (!known.weight_extents.empty()) {
    const std::size_t weights = known.parameters - known.biases;
    std::size_t product = 1;
    for (std::size_t i = 0; i < known.weight_extents.size(); ++i) product *= known.weight_extents[i];
    if (product != weights) return {nn_wrong::weight_extents_differ, product, weights};
  }
  if (!known.same_memory) return {};
  const std::size_t made = plan.slots[step.out[0]].elements, given = plan.slots[step.in[0]].elements;
  return made == given ? nn_fault{} : nn_fault{nn_wrong::other_memory, made, given};
}

/// The fault of a layer between some types if it lacks anything that its step asks for, without its place: the same for all
/// steps like it. Names are put together for a fault alone: text is what costs compilers most here.
template <class T, class Layer, class Reads, class Makes>
constexpr nn_fault verify_layer(const step_plan& step, bool trains) {
  using kernels = kernels_between<T, Layer, Reads, Makes>;
  using forward_type = typename kernels::forward_type;
  using inputs_type = typename kernels::inputs_type;
  using weights_type = typename kernels::weights_type;
  const auto lacks = [&]<class Pass>(const Pass*, std::string_view function) {
    nn_fault found{.kind = nn_wrong::no_kernel};
    found.where.call = call_text<Pass>(function);
    return found;
  };
  const bool computes = !(step.facts.same_memory && step.facts.same_gradient);
  if constexpr (!has_forward<Layer, forward_type>) {
    if (computes) return lacks(static_cast<const forward_type*>(nullptr), "forward");
  }
  if constexpr (!has_backward_inputs<Layer, inputs_type>) {
    if (trains && step.computes_inputs) return lacks(static_cast<const inputs_type*>(nullptr), "backward_inputs");
  }
  if constexpr (!has_backward_weights<Layer, weights_type>) {
    if (trains && step.facts.parameters > 0) return lacks(static_cast<const weights_type*>(nullptr), "backward_weights");
  }
  const std::size_t numbers = step.facts.parameters + step.facts.state;
  if constexpr (!initialised<Layer, Reads, T>) {
    if (numbers > 0) return {nn_wrong::never_initialised, numbers};
  }
  return {};
}

template <class T>
struct kernel_checks {
  template <class Layer, class Reads, class Makes>
  static constexpr layer_check of{verify_layer<T, Layer, Reads, Makes>, type_name<Layer>};
};

/// The first thing that a step of a stage lacks, with its place.
constexpr nn_fault first_fault(const plan_view& plan, light_span<const std::string_view> blocks, const layer_check* checks, bool trains) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const step_plan& step = plan.steps[i];
    nn_fault found = verify_facts(plan, step);
    if (!found) found = checks[i].fault(step, trains);
    if (!found) continue;
    const auto call = found.where.call;
    found.where = place_of(step, blocks, checks[i].type());  // here alone: names of types take most steps of constant evaluation
    found.where.call = call;
    return found;
  }
  return {};
}

template <class P, class Types, class T>
constexpr nn_fault verify_kernels(const plan_view& plan, bool trains = true) {
  return first_fault(plan, block_names<P>, Types::template checks<kernel_checks<T>>, trains);
}

}  // namespace impl

/// The first thing that keeps a stage, or one of its branches, from running on the host.
template <class P, std::size_t Stage, class T, std::size_t Branch = every_branch>
constexpr nn_fault verify_stage(bool trains = true) {
  using steps = impl::steps_of_stage<P, Stage, Branch>;
  if constexpr (impl::fault_in_steps<steps>) {
    return impl::fault_in_steps<steps>;
  } else {
    return impl::verify_kernels<P, impl::step_types<steps>, T>(impl::view_of(planned<P, Stage, T, Branch>), trains);
  }
}

}  // namespace ipuflow::nn
