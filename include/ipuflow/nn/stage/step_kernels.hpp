// SPDX-License-Identifier: BSL-1.0
// The seam between types and values on the host. The kernels of a step are functions of its layer and of what that reads
// and writes, and of nothing else: the same layer between the same types is compiled once, whatever pipeline, stage or
// pass it is in. Their caller knows slots by number.
#pragma once

#include <ipuflow/nn/kernels/kernel_calls.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// Some neighbouring groups of a micro-batch.
struct group_range {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// A pass through one step, over some groups.
template <class T>
struct step_pass {
  const plan_view& plan;
  const host_layout& layout;
  const stage_memory& memory;
  const step_plan& step;
  parameters<T> numbers;  // of the step
  T* d_parameters;        // likewise
  context about;
  group_range at;

  /// The lanes of a slot, or of its gradient.
  template <class Batch>
  Batch value(std::size_t slot) const {
    const std::size_t root = plan.slots[slot].root;
    return view<Batch>(memory.values[static_cast<std::size_t>(plan.slots[root].where)] + layout.value_offset[root]);
  }
  /// Without data, if there is none.
  template <class Batch>
  Batch gradient(std::size_t slot) const {
    const slot_plan& s = plan.slots[slot];
    if (!s.has_gradient && !s.travels_back) return {nullptr, at.count, 0};
    const slot_plan& root = plan.slots[s.gradient_root];
    return view<Batch>(memory.gradients[static_cast<std::size_t>(root.gradient_where)] +
                       layout.gradient_offset[s.gradient_root]);
  }
  /// The place where the step writes the gradient of an input; without data, if no layer reads it.
  template <class Batch>
  Batch target(std::size_t input) const {
    switch (step.to[input]) {
      case contribution::written:
        return gradient<Batch>(step.in[input]);
      case contribution::added:
        return view<Batch>(memory.gradients[static_cast<std::size_t>(area::passing)] + layout.sum_offset);
      default:
        return {nullptr, at.count, 0};
    }
  }

 private:
  template <class Batch>
  Batch view(std::byte* all) const {
    using vector = typename Batch::lane_type;
    const std::size_t before = at.first * lane_count;
    const std::size_t most = at.count * lane_count;
    return {reinterpret_cast<vector*>(all) + at.first * Batch::elements, at.count,
            layout.samples - before < most ? layout.samples - before : most};
  }
};

}  // namespace impl

/// Null where a step has nothing to do.
template <class T>
struct step_kernels {
  using kernel = void (*)(const impl::step_pass<T>&);
  kernel forward = nullptr;
  kernel backward_inputs = nullptr;
  kernel backward_weights = nullptr;
};

namespace impl {

template <class Layer, class Pass>
concept has_forward = requires(Layer layer, const Pass& pass) { forward(layer, pass); };
template <class Layer, class Pass>
concept has_backward_inputs = requires(Layer layer, const Pass& pass) { backward_inputs(layer, pass); };
template <class Layer, class Pass>
concept has_backward_weights = requires(Layer layer, const Pass& pass) { backward_weights(layer, pass); };

/// The kernels of a layer that reads values of types `In` and makes some of types `Out`.
template <class T, class Layer, class In, class Out>
struct kernels_between;
template <class T, class Layer, class... In, class... Out>
struct kernels_between<T, Layer, walk::list<In...>, walk::list<Out...>> {
  template <class Type>
  using view_of = typename computed<Type, T>::view;
  template <template <class, class, class> class Pass>
  using pass_of = Pass<T, in<typename computed<In, T>::value...>, out<typename computed<Out, T>::value...>>;
  using forward_type = pass_of<forward_pass>;
  using inputs_type = pass_of<inputs_pass>;
  using weights_type = pass_of<weights_pass>;

  /// The passes that a step has. `BackwardInputs`: some gradient of its inputs is wanted.
  template <bool BackwardInputs, bool BackwardWeights>
  static constexpr step_kernels<T> table() {
    constexpr const layer_facts& known = facts_of<Layer, walk::list<In...>>;
    step_kernels<T> found;
    if constexpr (!(known.same_memory && known.same_gradient)) found.forward = &forward;
    if constexpr (BackwardInputs) found.backward_inputs = &backward_inputs;
    if constexpr (BackwardWeights && known.parameters > 0) found.backward_weights = &backward_weights;
    return found;
  }

  static void forward(const step_pass<T>& s) {
    run_forward(Layer{}, forward_type{inputs(s, each_in), outputs(s, each_out), s.numbers.values, s.numbers.state, s.about});
    if constexpr ((computed<Out, T>::rounds || ...)) round_outputs(s, each_out);
  }

  static void backward_inputs(const step_pass<T>& s) {
    run_backward_inputs(Layer{}, inputs_type{inputs(s, each_in), outputs_read(s, each_out), gradients(s, real_out), targets(s, real_in),
                                             s.numbers.values, s.numbers.state, s.about});
    if constexpr ((computed<In, T>::rounds || ...)) round_targets(s, each_in);
  }

  static void backward_weights(const step_pass<T>& s) {
    run_backward_weights(Layer{}, weights_type{inputs(s, each_in), outputs_read(s, each_out), gradients(s, real_out),
                                               s.d_parameters, s.numbers.values, s.numbers.state, s.about});
  }

 private:
  static constexpr auto each_in = std::index_sequence_for<In...>{};
  static constexpr auto each_out = std::index_sequence_for<Out...>{};
  static constexpr real_places<computed<In, T>::real...> real_in{};
  static constexpr real_places<computed<Out, T>::real...> real_out{};
  template <std::size_t I>
  using in_view = std::tuple_element_t<I, views<view_of<In>...>>;
  template <std::size_t I>
  using out_view = std::tuple_element_t<I, views<view_of<Out>...>>;

  template <std::size_t... I>
  static auto inputs(const step_pass<T>& s, std::index_sequence<I...>) {
    return decltype(forward_type::in){s.template value<view_of<In>>(s.step.in[I]).read()...};
  }
  template <std::size_t... I>
  static auto outputs(const step_pass<T>& s, std::index_sequence<I...>) {
    return decltype(forward_type::out){s.template value<view_of<Out>>(s.step.out[I])...};
  }
  template <std::size_t... I>
  static auto outputs_read(const step_pass<T>& s, std::index_sequence<I...>) {
    return decltype(inputs_type::out){s.template value<view_of<Out>>(s.step.out[I]).read()...};
  }
  template <std::size_t... I>
  static auto gradients(const step_pass<T>& s, std::index_sequence<I...>) {
    return decltype(inputs_type::d_out){s.template gradient<out_view<I>>(s.step.out[I]).read()...};
  }
  template <std::size_t... I>
  static auto targets(const step_pass<T>& s, std::index_sequence<I...>) {
    return decltype(inputs_type::d_in){s.template target<in_view<I>>(I)...};
  }
  template <std::size_t... I>
  static void round_outputs(const step_pass<T>& s, std::index_sequence<I...>) {
    (round_if<computed<Out, T>::rounds>(s.template value<view_of<Out>>(s.step.out[I])), ...);
  }
  template <std::size_t... I>
  static void round_targets(const step_pass<T>& s, std::index_sequence<I...>) {
    (round_if<computed<In, T>::rounds>(s.template target<view_of<In>>(I)), ...);
  }
};

}  // namespace impl

}  // namespace ipuflow::nn
