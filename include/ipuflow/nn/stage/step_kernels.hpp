// SPDX-License-Identifier: BSL-1.0
// The seam between types and values on the host. The kernels of a step are functions of its layer and of what that reads
// and writes, and of nothing else: the same layer between the same types is compiled once, whatever pipeline, stage or
// pass it is in. Whoever calls them knows slots by number.
#pragma once

#include <ipuflow/nn/kernels/kernel_calls.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/nn/stage/stage_planned.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

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
  /// Where the step writes the gradient of an input; without data, if nobody wants it.
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

/// Null where a step has nothing to do.
template <class T>
struct step_kernels {
  using kernel = void (*)(const step_pass<T>&);
  kernel forward = nullptr;
  kernel backward_inputs = nullptr;
  kernel backward_weights = nullptr;
};

/// The kernels of a layer that reads values of types `In` and makes some of types `Out`.
template <class T, class Layer, class In, class Out>
struct kernels_between;
template <class T, class Layer, class... In, class... Out>
struct kernels_between<T, Layer, walk::list<In...>, walk::list<Out...>> {
  template <class Type>
  using batch_of = typename computed<Type, T>::view;
  static constexpr auto reads = std::index_sequence_for<In...>{};
  static constexpr auto makes = std::index_sequence_for<Out...>{};

  static void forward(const step_pass<T>& s) {
    [&]<std::size_t... I, std::size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
      run_forward(Layer{}, s.about, s.numbers, s.template value<batch_of<In>>(s.step.in[I]).read()...,
                  s.template value<batch_of<Out>>(s.step.out[O])...);
      (round_if<computed<Out, T>::rounds>(s.template value<batch_of<Out>>(s.step.out[O])), ...);
    }(reads, makes);
  }

  static void backward_inputs(const step_pass<T>& s) {
    [&]<std::size_t... I, std::size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
      run_backward_inputs<computed<In, T>::real...>(
          Layer{}, s.about, s.numbers, std::tuple{s.template value<batch_of<In>>(s.step.in[I]).read()...},
          std::tuple{s.template value<batch_of<Out>>(s.step.out[O]).read()...,
                     s.template gradient<batch_of<Out>>(s.step.out[O]).read()...},
          s.template target<batch_of<In>>(I)...);
      (round_if<computed<In, T>::rounds>(s.template target<batch_of<In>>(I)), ...);
    }(reads, makes);
  }

  static void backward_weights(const step_pass<T>& s) {
    [&]<std::size_t... I, std::size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
      run_backward_weights(Layer{}, s.about, s.numbers, s.template value<batch_of<In>>(s.step.in[I]).read()...,
                           s.template value<batch_of<Out>>(s.step.out[O]).read()...,
                           s.template gradient<batch_of<Out>>(s.step.out[O]).read()..., s.d_parameters);
    }(reads, makes);
  }
};

}  // namespace ipuflow::nn
