// SPDX-License-Identifier: BSL-1.0
// One stage of a pipeline of layers, or a branch of one, as programs on tiles: the counterpart of stage_program, from
// the same plan. Each layer's pass becomes one graph function, so its code is stored once however often it is called.
#pragma once

#include <ipuflow/nn/layers/layer_name.hpp>
#include <ipuflow/nn/lowerings/copy_lowering.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>
#include <ipuflow/nn/stage/stage_arguments.hpp>
#include <ipuflow/nn/stage/stage_numbers.hpp>
#include <ipuflow/nn/stage/stage_scalars.hpp>
#include <ipuflow/nn/stage/stage_variables.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace ipuflow::nn {

template <class P, std::size_t Stage, std::size_t Branch = every_branch>
class tile_stage {
  static_assert(accept<impl::fault_in_steps<impl::steps_of_stage<P, Stage, Branch>>>());
  using types = impl::step_types<impl::steps_of_stage<P, Stage, Branch>>;
  template <std::size_t I>
  using calls = impl::lowering_calls<types, I>;

 public:
  static constexpr auto plan = planned<P, Stage, float, Branch>;
  static_assert(accept<impl::verify_lowerings<P, types>(plan)>());

  tile_stage(ipu::graph& g, const plan::lowering_options& o)
      : g_{g}, o_{wanted(o)}, trained_{g, o_, made_}, slots_{g, o_, impl::view_of(plan), kinds(), made_} {
    each_step([&]<std::size_t I>(impl::slot_index<I>) { 
      const weights_place place = plan.steps[I].facts.parameters > 0 ? calls<I>::weights({.g = g_, .where = o_.where, .samples = o_.samples}) : weights_place{};
      numbers_.push_back(trained_.make(plan.steps[I], name_of_step<I>(), place));
    });
    if constexpr (counts) {
      if (o.training) make_counter();
    }
  }

  /// To be asked once.
  plan::lowered take() {
    make_forward();
    if (o_.training) make_backward();
    if (o_.training) make_clear();
    return std::move(made_);
  }

 private:
  /// In a last stage the backward pass follows the forward one: without a checkpoint nothing would be freed between them.
  static plan::lowering_options wanted(plan::lowering_options o) {
    if (o.by_segment && Stage + 1 == P::stage_count && plan.segments == 1) o.recomputes = o.by_segment = false;
    return o;
  }
  template <class Visit>
  static constexpr void each_step(Visit visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (visit(impl::slot_index<I>{}), ...);
    }(std::make_index_sequence<plan.steps.size()>{});
  }
  static constexpr bool counts = [] {
    bool found = false;
    each_step([&]<std::size_t I>(impl::slot_index<I>) { found = found || impl::counting<decltype(types::template layer<I>())>; });
    return found;
  }();

  /// Nothing is computed where a value is seen in another shape, or is an argument of the run.
  template <std::size_t I>
  static constexpr bool computes = !(plan.steps[I].facts.same_memory && plan.steps[I].facts.same_gradient) && !impl::hands_argument_on<P, Stage, Branch, I>;

  template <std::size_t I>
  static constexpr ipu::name_text name_of_step() {
    constexpr std::size_t block = plan.steps[I].block;
    constexpr type_text type = type_name<decltype(types::template layer<I>())>();
    return impl::layer_name(block < P::block_count ? P::names()[block] : std::string_view{}, type.view());
  }

  static void add_number(ipu::name_text& name, std::size_t number) {
    name += " ";
    name += number;
  }

  /// Of each slot: a value is called after the layer that makes it, what enters after the stage's first block.
  static const std::array<impl::slot_kind, plan.slots.size()>& kinds() {
    static const auto all = [] {
      std::array<impl::slot_kind, plan.slots.size()> made{};
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((made[I].type = ipu::element_type_of<typename impl::tiled<typename types::template slot_type<I>>::element>()), ...);
        ((made[I].argument = impl::argument_slots<P, Stage, Branch>[I]), ...);
      }(std::make_index_sequence<plan.slots.size()>{});
      for (std::size_t i = 0; i < plan.entering; ++i) {
        made[i].name = impl::layer_name(P::names()[P::placement.first_block(Stage)], "entry");
        if (plan.entering > 1) add_number(made[i].name, i);
      }
      each_step([&]<std::size_t I>(impl::slot_index<I>) {
        for (std::size_t i = 0; i < plan.steps[I].out.size(); ++i) {
          ipu::name_text& name = made[plan.steps[I].out[i]].name = name_of_step<I>();
          if (i > 0) add_number(name, i);
        }
      });
      return made;
    }();
    return all;
  }

  /// The counter keeps its contents; the number that a forward pass has taken from it goes with its values.
  void make_counter() {
    const ipu::mapping here = ipu::on_tile(1, o_.where.first_tile);
    const ipu::variable_id counter = g_.add_variable(ipu::name_from("micro-batches"), ipu::element_type::i32, 1, here);
    number_ = number_again_ = g_.add_temporary(ipu::name_from("micro-batch"), ipu::element_type::i32, 1, here);
    if (o_.values_wait) number_again_ = g_.add_temporary(ipu::name_from("micro-batch kept"), ipu::element_type::i32, 1, here);
    made_.counters.push_back(counter);
    made_.values.push_back({number_, number_again_});
    made_.forward.then(impl::count_up(g_, counter, number_));
  }

  enum class run_of : unsigned char { forward, again, backward };

  template <std::size_t I>
  lowering surroundings(run_of pass) const {
    const bool first = pass == run_of::forward;
    return {g_,
            o_.where,
            o_.samples,
            numbers_[I],
            first ? number_ : number_again_,
            impl::seed_of(o_.seed, plan.steps[I]),
            o_.training,
            first,
            name_of_step<I>(),
            o_.shards.replicas};
  }

  /// The variables that a pass reads or writes, by slot.
  auto values_in(run_of pass) const {
    return [=, this](std::size_t slot) -> on_tiles {
      return {pass == run_of::forward ? slots_[slot].value : slots_[slot].again};
    };
  }
  auto gradients(ipu::variable_id impl::slot_variables::* which) const {
    return [=, this](std::size_t slot, std::size_t) -> on_tiles { return {slots_[slot].*which, slots_[slot].has_gradient}; };
  }

  ipu::step as_function(ipu::step body) { return ipu::call(g_.add_function(std::move(body))); }

  void make_forward() {
    each_step([&]<std::size_t I>(impl::slot_index<I>) {
      if constexpr (computes<I>) {
        const ipu::step function = run_forward<I>(run_of::forward);
        made_.forward.then(function);
        if (!o_.training || !o_.recomputes || !slots_.runs_again(I)) return;
        const bool later = o_.by_segment && plan.steps[I].segment + 1 < plan.segments;
        (later ? again_[plan.steps[I].segment] : made_.recompute).then(is_the_same_again<I>() ? function : run_forward<I>(run_of::again));
      }
    });
  }
  /// True if a layer runs again between the very variables of its forward pass, so that its code can be shared.
  template <std::size_t I>
  bool is_the_same_again() const {
    constexpr impl::step_plan step = plan.steps[I];
    bool same = step.facts.state == 0 && number_.index == number_again_.index;
    for (const std::size_t slot : step.in) same = same && slots_[slot].value.index == slots_[slot].again.index;
    for (const std::size_t slot : step.out) same = same && slots_[slot].value.index == slots_[slot].again.index;
    return same;
  }
  template <std::size_t I>
  ipu::step run_forward(run_of pass) {
    return as_function(trained_.with_wholes(calls<I>::forward(surroundings<I>(pass), values_in(pass))));
  }

  /// Gradients that travel to the neighbour although no layer writes them, and those that a last stage begins with.
  ipu::step begin_backward() {
    ipu::step program;
    for (std::size_t i = 0; i < plan.entering; ++i) {
      if (plan.slots[i].never_written) program.then(ipu::fill(g_, slots_[i].gradient, 0));
    }
    if (Stage + 1 < P::stage_count) return program;
    for (const std::size_t out : plan.leaving) {
      const float of_loss = plan.slots[out].elements == 1 ? o_.loss_gradient : 0;
      if (!plan.slots[out].travels_back || !slots_[out].has_gradient) continue;
      program.then(ipu::fill(g_, slots_[out].gradient, of_loss));
      if (o_.scales_loss && of_loss != 0) program.then(scaled(slots_[out].gradient));
    }
    return program;
  }

  /// Multiplies gradients of a loss by the scale.
  ipu::step scaled(ipu::variable_id gradient) {
    if (!made_.loss_scale)
      made_.loss_scale = g_.add_variable(ipu::name_from("loss scale"), ipu::element_type::f32, 1, ipu::on_tile(1, o_.where.first_tile));
    return impl::scaled_by(g_, *made_.loss_scale, gradient);
  }

  template <std::size_t I>
  ipu::step clear_outputs() {
    ipu::step program;
    for (const std::size_t out : plan.steps[I].out) {
      if (plan.slots[out].cleared && slots_[out].has_gradient)
        program.then(ipu::fill(g_, slots_[out].gradient, 0));
    }
    return program;
  }

  template <std::size_t I>
  ipu::step inputs() {
    ipu::step sums;
    // Where the gradient of an input is written: where it belongs, or beside it if others have written there.
    const auto target = [&](std::size_t slot, std::size_t position) -> on_tiles {
      const impl::contribution to = plan.steps[I].to[position];
      if (to == impl::contribution::none) return {{}, false};
      if (to == impl::contribution::written) return {slots_[slot].gradient, slots_[slot].has_gradient};
      const ipu::variable_id more = slots_.more_of(slot);
      sums.then(ipu::scaled_add(g_, slots_[slot].gradient, 1, more));
      return {more};
    };
    ipu::step program = calls<I>::backward_inputs(surroundings<I>(run_of::backward), values_in(run_of::backward),
                                                  gradients(&impl::slot_variables::gradient), target);
    return ipu::sequence(trained_.with_wholes(std::move(program)), std::move(sums));
  }

  template <std::size_t I>
  ipu::step weights() {
    return trained_.with_wholes(calls<I>::backward_weights(surroundings<I>(run_of::backward), values_in(run_of::backward),
                                                           gradients(&impl::slot_variables::remembered)));
  }

  /// Both halves apart and, unless gradients wait between them, layer by layer, so that each is live for a short time.
  /// By segment, what a segment needs is made again once the one behind it has been gone back through.
  void make_backward() {
    made_.backward_inputs = begin_backward();
    if (!o_.slopes_wait) made_.backward = made_.backward_inputs;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (make_backward<plan.steps.size() - 1 - I>(), ...);
    }(std::make_index_sequence<plan.steps.size()>{});
    if (!o_.slopes_wait) return;
    ipu::step remember;
    for (const plan::carried& slope : made_.slopes) remember.then(ipu::copy_all(g_, slope.made, slope.read));
    made_.backward = ipu::sequence(made_.backward_inputs, std::move(remember), made_.backward_weights);
  }
  template <std::size_t I>
  void make_backward() {
    const auto put = [&](ipu::step made, ipu::step& half) {
      if (made.empty()) return;
      const ipu::step function = as_function(std::move(made));
      half.then(function);
      if (!o_.slopes_wait) made_.backward.then(function);
    };
    if constexpr (I + 1 < plan.steps.size()) {
      if (plan.steps[I].segment != plan.steps[I + 1].segment) put(std::move(again_[plan.steps[I].segment]), made_.backward_inputs);
    }
    put(clear_outputs<I>(), made_.backward_inputs);
    if constexpr (plan.steps[I].facts.parameters > 0) put(weights<I>(), made_.backward_weights);
    if constexpr (plan.steps[I].computes_inputs) put(inputs<I>(), made_.backward_inputs);
  }

  void make_clear() {
    for (const plan::trained_tensor& t : made_.parameters) made_.clear.then(ipu::fill(g_, t.gradient, 0));
  }

  ipu::graph& g_;
  plan::lowering_options o_;
  plan::lowered made_{};
  impl::stage_numbers trained_;
  std::vector<layer_numbers> numbers_{};  // of each step
  impl::stage_variables slots_;
  std::array<ipu::step, plan.segments> again_{};  // what backward makes again as it comes to a segment
  ipu::variable_id number_{};
  ipu::variable_id number_again_{};
};

/// Stage `Stage` of a pipeline, or a branch of it, on the tiles that `o` says.
template <std::size_t Stage, std::size_t Branch = every_branch, class P>
plan::lowered lower_stage(const P&, ipu::graph& g, const plan::lowering_options& o) {
  return tile_stage<P, Stage, Branch>{g, o}.take();
}

}  // namespace ipuflow::nn
