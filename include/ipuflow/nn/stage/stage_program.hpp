// SPDX-License-Identifier: BSL-1.0
// One stage of a pipeline of layers, ready to run: forward, backward for inputs, backward for weights, over memory that
// the caller owns. Layers that look at one sample at a time are run group by group, all of them on one group before the
// next, so that what one writes is in the cache when the next reads it. What a backward pass reads can be made again
// before it, all at once or segment by segment.
#pragma once

#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/kernels/kernel_calls.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/nn/stage/verify_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::nn {

/// `Compute`: what layers compute with, whatever real type the tensors are declared to have. `Branch`: one of several
/// concurrent branches; what enters is what enters the stage, what leaves is the branch's part of what leaves it.
template <class P, std::size_t Stage, class Compute = float, std::size_t Branch = every_branch>
class stage_program {
  static_assert(accept<fault_in_steps<steps_of_stage<P, Stage, Branch>>>());
  using steps = steps_of_stage<P, Stage, Branch>;
  using types = step_types<steps>;

 public:
  /// Slots, steps, numbers of parameters, work.
  static constexpr auto plan = planned<P, Stage, Compute, Branch>;
  static_assert(accept<verify_kernels<P, types, Compute>(plan)>());
  static constexpr std::size_t parameter_count = plan.parameters;
  static constexpr std::size_t state_count = plan.state;
  /// The place in stage_output of each value that leaves.
  static constexpr auto leaves_at = exit_positions<P, Stage, Branch>;

  /// `by_segment`: memory for `backward_by_segment`.
  explicit constexpr stage_program(std::size_t samples, bool by_segment = false)
      : layout_{layout_of(plan, samples, by_segment)} {}

  /// Bytes of every area, and where slots are in them.
  constexpr const auto& layout() const { return layout_; }

  /// A view of slot `Index`, or of its gradient.
  template <std::size_t Index>
  auto value(const stage_memory& memory) const {
    return values_of<Index>(memory, everything());
  }
  template <std::size_t Index>
  auto gradient(const stage_memory& memory) const {
    return gradients_of<Index>(memory, everything());
  }
  /// What enters or leaves at a position of stage_input or stage_output.
  template <std::size_t Position>
  auto input(const stage_memory& memory) const {
    return value<Position>(memory);
  }
  template <std::size_t Position>
  auto output(const stage_memory& memory) const {
    return value<plan.leaving[Position]>(memory);
  }

  /// Initial parameters and state. The same layer gets the same numbers whatever stage it is grouped into.
  static constexpr void initialise(std::uint64_t seed, Compute* values, Compute* state) {
    each_step([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      types::template initialise<I>(seed_of<I>(seed), values + plan.steps[I].parameters_begin,
                                    state + plan.steps[I].state_begin);
    });
  }

  /// Reads entry; writes exit, kept and passing values.
  void forward(const stage_memory& memory, parameters<Compute> p, const context& c) const {
    in_parts<false>([&]<std::size_t I>(std::integral_constant<std::size_t, I>, group_range at) {
      if constexpr (!(plan.steps[I].facts.same_memory && plan.steps[I].facts.same_gradient)) {
        step_forward<I>(memory, of_step<I>(p), of_step<I>(c, at), at);
      }
    });
  }

  /// What of `forward` the backward passes read, from the same entry. State stays as it is.
  void recompute(const stage_memory& memory, parameters<Compute> p, context c) const {
    c.updates_state = false;
    again<0, plan.steps.size()>(memory, p, c);
  }

  /// Reads exit gradients and the values that are `needed_by_inputs`; writes entry, kept and passing gradients.
  void backward_inputs(const stage_memory& memory, parameters<Compute> p, const context& c) const {
    clear_unwritten(memory);
    in_parts<true>([&]<std::size_t I>(std::integral_constant<std::size_t, I>, group_range at) {
      clear_outputs<I>(memory, at);
      step_backward_inputs<I>(memory, of_step<I>(p), of_step<I>(c, at), at);
    });
  }

  /// Reads the values and gradients that are needed by weights; adds to `d_parameters`.
  void backward_weights(const stage_memory& memory, parameters<Compute> p, const context& c,
                        Compute* d_parameters) const {
    in_parts<true>([&]<std::size_t I>(std::integral_constant<std::size_t, I>, group_range at) {
      step_backward_weights<I>(memory, of_step<I>(p), of_step<I>(c, at), d_parameters, at);
    });
  }

  /// Both in one walk, bit for bit the same numbers: gradients are used while they are in the cache.
  void backward(const stage_memory& memory, parameters<Compute> p, const context& c, Compute* d_parameters) const {
    clear_unwritten(memory);
    back_through<0, plan.steps.size()>(memory, p, c, d_parameters);
  }

  /// The same for a stage of which only entry and stored values are left: makes each segment again and goes back
  /// through it, the last one first.
  void backward_by_segment(const stage_memory& memory, parameters<Compute> p, context c, Compute* d_parameters) const {
    c.updates_state = false;
    clear_unwritten(memory);
    segments_back<plan.segments>(memory, p, c, d_parameters);
  }

  /// Fills the exit gradients of a last stage: `scale` for every sample of every loss, zero for all else.
  void seed_gradients(const stage_memory& memory, Compute scale) const {
    const auto seed = [&]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
      if constexpr (plan.slots[Index].travels_back) fill(gradient<Index>(memory), scale);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (seed(std::integral_constant<std::size_t, plan.leaving[I]>{}), ...);
    }(std::make_index_sequence<plan.leaving.size()>{});
  }

 private:
  using layout_type = decltype(layout_of(plan, 1));
  layout_type layout_;

  constexpr group_range everything() const { return {0, layout_.groups}; }

  template <class Visit>
  static constexpr void each_step(Visit visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (visit(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<plan.steps.size()>{});
  }

  template <std::size_t From, std::size_t To>
  void again(const stage_memory& memory, parameters<Compute> p, const context& c) const {
    in_parts<false, From, To>([&]<std::size_t I>(std::integral_constant<std::size_t, I>, group_range at) {
      if constexpr (plan.steps[I].runs_again) step_forward<I>(memory, of_step<I>(p), of_step<I>(c, at), at);
    });
  }
  template <std::size_t From, std::size_t To>
  void back_through(const stage_memory& memory, parameters<Compute> p, const context& c, Compute* d_parameters) const {
    in_parts<true, From, To>([&]<std::size_t I>(std::integral_constant<std::size_t, I>, group_range at) {
      clear_outputs<I>(memory, at);
      step_backward_weights<I>(memory, of_step<I>(p), of_step<I>(c, at), d_parameters, at);
      step_backward_inputs<I>(memory, of_step<I>(p), of_step<I>(c, at), at);
    });
  }
  /// The first `Count` segments.
  template <std::size_t Count>
  void segments_back(const stage_memory& memory, parameters<Compute> p, const context& c, Compute* d_parameters) const {
    if constexpr (Count > 0) {
      constexpr std::size_t from = first_of_segment(plan, Count - 1);
      constexpr std::size_t to = first_of_segment(plan, Count);
      again<from, to>(memory, p, c);
      back_through<from, to>(memory, p, c, d_parameters);
      segments_back<Count - 1>(memory, p, c, d_parameters);
    }
  }

  /// `visit(step, groups)` for steps in order or backwards: those that want the whole batch once, runs of others group
  /// by group.
  template <bool Backwards, std::size_t From = 0, std::size_t To = plan.steps.size(), class Visit>
  void in_parts(Visit visit) const {
    if constexpr (From < To) {
      constexpr std::size_t end = end_of_part(plan, From, To);
      if constexpr (Backwards) in_parts<true, end, To>(visit);
      const auto run = [&]<std::size_t... I>(group_range at, std::index_sequence<I...>) {
        (visit(std::integral_constant<std::size_t, Backwards ? end - 1 - I : From + I>{}, at), ...);
      };
      constexpr auto all = std::make_index_sequence<end - From>{};
      if constexpr (plan.steps[From].facts.whole_batch) {
        run(everything(), all);
      } else {
        for (std::size_t g = 0; g < layout_.groups; ++g) run(group_range{g, 1}, all);
      }
      if constexpr (!Backwards) in_parts<false, end, To>(visit);
    }
  }

  template <std::size_t Index>
  auto values_of(const stage_memory& memory, group_range at) const {
    constexpr slot_plan root = plan.slots[plan.slots[Index].root];
    using view_type = typename types::template batch_of<Index, Compute>;
    return layout_.template view<view_type>(memory.values[static_cast<std::size_t>(root.where)],
                           layout_.value_offset[plan.slots[Index].root], at);
  }
  template <std::size_t Index>
  auto gradients_of(const stage_memory& memory, group_range at) const {
    using view_type = typename types::template batch_of<Index, Compute>;
    constexpr std::size_t root = plan.slots[Index].gradient_root;
    if constexpr (plan.slots[Index].has_gradient || plan.slots[Index].travels_back) {
      return layout_.template view<view_type>(memory.gradients[static_cast<std::size_t>(plan.slots[root].gradient_where)],
                             layout_.gradient_offset[root], at);
    } else {
      return view_type{nullptr, at.groups, 0};
    }
  }
  /// Where step `I` writes the gradient of its input number `Position`.
  template <std::size_t I, std::size_t Position>
  auto target_of(const stage_memory& memory, group_range at) const {
    constexpr contribution to = plan.steps[I].to[Position];
    constexpr std::size_t index = plan.steps[I].in[Position];
    using view_type = typename types::template batch_of<index, Compute>;
    if constexpr (to == contribution::none) {
      return view_type{nullptr, at.groups, 0};
    } else if constexpr (to == contribution::added) {
      std::byte* passing = memory.gradients[static_cast<std::size_t>(area::passing)];
      return layout_.template view<view_type>(passing, layout_.sum_offset, at);
    } else {
      return gradients_of<index>(memory, at);
    }
  }

  template <std::size_t... Slot>
  auto reads(const stage_memory& memory, group_range at, walk::at_slots<Slot...>) const {
    return std::tuple{values_of<Slot>(memory, at).read()...};
  }
  template <std::size_t... Slot>
  auto gradient_reads(const stage_memory& memory, group_range at, walk::at_slots<Slot...>) const {
    return std::tuple_cat(if_real<types::template real<Slot>()>(gradients_of<Slot>(memory, at).read())...);
  }

  template <std::size_t I>
  void step_forward(const stage_memory& memory, parameters<Compute> p, const context& c, group_range at) const {
    [&]<std::size_t... Out>(walk::at_slots<Out...>) {
      using pass = typename types::template pass_of<forward_pass, I, Compute>;
      run_forward(types::template layer<I>(), pass{reads(memory, at, types::template in<I>()),
                                                   {values_of<Out>(memory, at)...}, p.values, p.state, c});
      (round_if<types::template rounds<Out, Compute>()>(values_of<Out>(memory, at)), ...);
    }(types::template out<I>());
  }

  template <std::size_t I>
  void step_backward_inputs(const stage_memory& memory, parameters<Compute> p, const context& c, group_range at) const {
    if constexpr (plan.steps[I].computes_inputs) {
      [&]<std::size_t... In, std::size_t... Position>(walk::at_slots<In...> read, std::index_sequence<Position...>) {
        using pass = typename types::template pass_of<inputs_pass, I, Compute>;
        constexpr auto made = types::template out<I>();
        run_backward_inputs(
            types::template layer<I>(),
            pass{reads(memory, at, read), reads(memory, at, made), gradient_reads(memory, at, made),
                 std::tuple_cat(if_real<types::template real<In>()>(target_of<I, Position>(memory, at))...), p.values,
                 p.state, c});
        (round_if<types::template rounds<In, Compute>()>(target_of<I, Position>(memory, at)), ...);
        (add_if < plan.steps[I].to[Position] ==
             contribution::added > (target_of<I, Position>(memory, at), gradients_of<In>(memory, at)),
         ...);
      }(types::template in<I>(), std::make_index_sequence<plan.steps[I].in.size()>{});
    }
  }

  template <std::size_t I>
  void step_backward_weights(const stage_memory& memory, parameters<Compute> p, const context& c, Compute* d_parameters,
                             group_range at) const {
    if constexpr (plan.steps[I].facts.parameters > 0) {
      using pass = typename types::template pass_of<weights_pass, I, Compute>;
      constexpr auto made = types::template out<I>();
      run_backward_weights(types::template layer<I>(),
                           pass{reads(memory, at, types::template in<I>()), reads(memory, at, made),
                                gradient_reads(memory, at, made), d_parameters + plan.steps[I].parameters_begin,
                                p.values, p.state, c});
    }
  }

  template <std::size_t I>
  void clear_outputs(const stage_memory& memory, group_range at) const {
    [&]<std::size_t... Out>(walk::at_slots<Out...>) {
      ((plan.slots[Out].cleared ? clear(gradients_of<Out>(memory, at)) : void()), ...);
    }(types::template out<I>());
  }
  void clear_unwritten(const stage_memory& memory) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((plan.slots[I].never_written ? clear(gradient<I>(memory)) : void()), ...);
    }(std::make_index_sequence<plan.entering>{});
  }

  /// A number that is the layer's own.
  template <std::size_t I>
  static constexpr std::uint64_t seed_of(std::uint64_t seed) {
    return random_bits(random_bits(seed, plan.steps[I].block), plan.steps[I].op);
  }
  template <std::size_t I>
  static constexpr parameters<Compute> of_step(parameters<Compute> p) {
    return {p.values + plan.steps[I].parameters_begin, p.state + plan.steps[I].state_begin};
  }
  template <std::size_t I>
  static constexpr context of_step(context c, group_range at) {
    c.seed = seed_of<I>(c.seed);
    c.first_group = at.first;
    return c;
  }
};

}  // namespace ipuflow::nn
