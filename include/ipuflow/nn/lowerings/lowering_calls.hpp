// SPDX-License-Identifier: BSL-1.0
// The lowerings of a layer between values of given types, as functions of their variables: instantiated once, however many stages
// have such a layer, and called by code that knows no types.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/stage/verify_kernels.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// A layer that asks for the number of the micro-batch.
template <class Layer>
concept counting = requires(Layer layer) { counts_micro_batches(layer); };

/// Types of values as they stand on tiles.
template <template <class...> class To, class Types>
struct values_on_tiles;
template <template <class...> class To, class... Type>
struct values_on_tiles<To, walk::list<Type...>> {
  using type = To<typename tiled<Type>::type...>;
};

template <class Layer, class Pass>
concept lowers_forward = requires(Layer layer, const Pass& l) { lower_forward(layer, l); };
template <class Layer, class Pass>
concept lowers_inputs = requires(Layer layer, const Pass& l) { lower_backward_inputs(layer, l); };
template <class Layer, class Pass>
concept lowers_weights = requires(Layer layer, const Pass& l) { lower_backward_weights(layer, l); };
template <class Layer, class Pass>
concept places_weights = requires(Layer layer, const Pass& l) { weights_on_tiles(layer, l); };

template <class Layer, class Pass>
concept knows_panels = requires(Layer layer, const Pass* l) { panels_on_tiles(layer, l); };

template <class Layer, class Pass>
concept takes_notes = requires(Layer layer, const Pass* l) { notes_on_tiles(layer, l, std::size_t{}); };

template <class Layer>
concept reads_columns = requires(Layer layer) { reads_by_columns(layer); };

/// The values of a step, in its order; gradients are those of real values.
struct step_values {
  const on_tiles* in = nullptr;
  const on_tiles* out = nullptr;
  const on_tiles* d_out = nullptr;
  const on_tiles* d_in = nullptr;
};

/// A layer outside of its types; null where it has no such lowering.
struct lowering_code {
  stored_weights (*place)(const lowering&) = nullptr;
  panel_use panels{};
  std::size_t (*noted)(std::size_t samples) = nullptr;  ///< rows of a micro-batch of which the forward pass notes two numbers
  ipu::step (*forward)(const lowering&, const step_values&) = nullptr;
  ipu::step (*backward_inputs)(const lowering&, const step_values&) = nullptr;
  ipu::step (*backward_weights)(const lowering&, const step_values&) = nullptr;
  std::string_view type{};
  bool counts = false;
  bool reads_columns = false;
};

/// `Reads`, `Makes`: walk::list of the types of its values.
template <class Layer, class Reads, class Makes>
struct lowering_calls {
  using reads = typename values_on_tiles<in, Reads>::type;
  using makes = typename values_on_tiles<out, Makes>::type;
  using forward_type = forward_lowering<reads, makes>;
  using inputs_type = inputs_lowering<reads, makes>;
  using weights_type = weights_lowering<reads, makes>;

  static stored_weights place(const lowering& l) { return weights_on_tiles(Layer{}, forward_type{l, {}, {}}); }
  static std::size_t noted(std::size_t samples) { return notes_on_tiles(Layer{}, static_cast<const forward_type*>(nullptr), samples); }
  static ipu::step forward(const lowering& l, const step_values& v) {
    forward_type pass{l, {}, {}};
    take(v.in, pass.in), take(v.out, pass.out);
    return lower_forward(Layer{}, pass);
  }
  static ipu::step backward_inputs(const lowering& l, const step_values& v) {
    inputs_type pass{l, {}, {}, {}, {}};
    take(v.in, pass.in), take(v.out, pass.out), take(v.d_out, pass.d_out), take(v.d_in, pass.d_in);
    return lower_backward_inputs(Layer{}, pass);
  }
  static ipu::step backward_weights(const lowering& l, const step_values& v) {
    weights_type pass{l, {}, {}, {}};
    take(v.in, pass.in), take(v.out, pass.out), take(v.d_out, pass.d_out);
    return lower_backward_weights(Layer{}, pass);
  }

  static constexpr lowering_code code() {
    lowering_code made{.type = type_name_of<Layer>.view(), .counts = counting<Layer>, .reads_columns = reads_columns<Layer>};
    if constexpr (places_weights<Layer, forward_type>) made.place = place;
    if constexpr (knows_panels<Layer, forward_type>) made.panels = panels_on_tiles(Layer{}, static_cast<const forward_type*>(nullptr));
    if constexpr (takes_notes<Layer, forward_type>) made.noted = noted;
    if constexpr (lowers_forward<Layer, forward_type>) made.forward = forward;
    if constexpr (lowers_inputs<Layer, inputs_type>) made.backward_inputs = backward_inputs;
    if constexpr (lowers_weights<Layer, weights_type>) made.backward_weights = backward_weights;
    return made;
  }

  /// The fault of a step with this plan: the first call that it would fail in.
  static constexpr nn_fault fault(const step_plan& plan, bool) {
    const layer_facts& known = plan.facts;
    if (known.same_memory && known.same_gradient) return {};
    if (!lowers_forward<Layer, forward_type>) return lacks(call_text<forward_type>("lower_forward"));
    if (plan.computes_inputs && !lowers_inputs<Layer, inputs_type>) return lacks(call_text<inputs_type>("lower_backward_inputs"));
    if (known.parameters > 0 && !lowers_weights<Layer, weights_type>) return lacks(call_text<weights_type>("lower_backward_weights"));
    return {};
  }

 private:
  template <class Type>
  static constexpr type_text type_name_of = type_name<Type>();

  static constexpr nn_fault lacks(const fixed_string<160>& call) {
    nn_fault found{.kind = nn_wrong::no_lowering};
    found.where.call = call;
    return found;
  }

  template <std::size_t N>
  static void take(const on_tiles* from, std::array<on_tiles, N>& to) {
    algorithms::copy_n(from, N, to.begin());
  }
};

template <class Layer, class Reads, class Makes>
inline constexpr lowering_code lowering_code_of = lowering_calls<Layer, Reads, Makes>::code();

struct lowering_checks {
  template <class Layer, class Reads, class Makes>
  static constexpr layer_check of{lowering_calls<Layer, Reads, Makes>::fault, type_name<Layer>};
};

/// The first lowering that a step of a stage lacks.
template <class P, class Types, class Plan>
constexpr nn_fault verify_lowerings(const Plan& plan) {
  return first_fault(view_of(plan), block_names<P>, Types::template checks<lowering_checks>, true);
}

}  // namespace impl

}  // namespace ipuflow::nn
