// SPDX-License-Identifier: BSL-1.0
// The programs of a stage on tiles, from a table of its steps: code for all pipelines. Each layer's pass becomes one graph
// function, so its code is stored once however often it is called.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>
#include <ipuflow/nn/stage/panel_bridge.hpp>
#include <ipuflow/nn/stage/shared_passes.hpp>
#include <ipuflow/nn/stage/stage_notes.hpp>
#include <ipuflow/nn/stage/stage_numbers.hpp>
#include <ipuflow/nn/stage/stage_panels.hpp>
#include <ipuflow/nn/stage/stage_scalars.hpp>
#include <ipuflow/nn/stage/stage_variables.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::nn::impl {

template <class = void>
class basic_stage_lowering {
 public:
  basic_stage_lowering(ipu::graph& g, const stage_on_tiles& stage, const plan::lowering_options& o)
      : g_{g},
        stage_{stage},
        o_{wanted(o, stage)},
        kinds_{kinds_of(stage)},
        layout_{g, stage_, o_},
        trained_{g, o_, made_},
        slots_{g, o_, stage.plan, kinds_, made_, &layout_},
        again_(stage.plan.segments),
        shared_{g, slots_} {
    bool counts = false;
    for (std::size_t i = 0; i < steps().size(); ++i) {
      stored_weights place;
      const bool by_columns = stage.shared_in(i) == shared_weights::by_columns, placed = steps()[i].facts.parameters > 0 && code(i).place != nullptr;
      if (placed) place = code(i).place({.g = g_, .where = o_.where, .samples = o_.samples, .numbers = {.by_columns = by_columns}});
      if (by_columns && place.map.empty()) place.order = ipu::by_columns(steps()[i].facts.weight_extents[0], steps()[i].facts.weight_extents[1]);
      if (const ipu::product_cut& cut = layout_.cut(i); cut.fits()) {
        const ipu::planned_product gradient = cut.of(ipu::product_pass::to_weights);
        place = {cut.weights_order(), ipu::where_made(gradient.shape, gradient.plan, o_.where.first_tile)};
      }
      numbers_.push_back(trained_.make(steps()[i], name_of_step(stage_, i), std::move(place)));
      numbers_.back().by_columns = by_columns, numbers_.back().cut = layout_.cut(i);
      counts = counts || code(i).counts;
    }
    if (counts && o.training) make_counter();
    if (o_.share_code) alike_ = alike_steps(g_, stage_, layout_, slots_, numbers_).all();
    alike_.resize(steps().size(), not_shared);
    notes_ = {g_, stage_, o_, slots_, alike_, made_};
  }

  /// To be asked once.
  plan::lowered take() {
    if (make_forward(); o_.training) make_backward(), make_clear();
    return std::move(made_);
  }

 private:
  using on_slot = ipu::variable_id slot_variables::*;

  const light_span<const step_plan>& steps() const { return stage_.plan.steps; }
  const lowering_code& code(std::size_t step) const { return *stage_.code[step]; }

  /// In a last stage of which nothing waits the backward pass follows the forward one: without a checkpoint nothing would be freed
  /// between them.
  static plan::lowering_options wanted(plan::lowering_options o, const stage_on_tiles& stage) {
    if (o.by_segment && stage.is_last && stage.plan.segments == 1 && !o.values_wait) o.recomputes = o.by_segment = false;
    return o;
  }

  /// The counter keeps its contents; the number that a forward pass has taken from it goes with its values.
  void make_counter() {
    const ipu::mapping here = ipu::on_tile(1, o_.where.first_tile);
    const ipu::variable_id counter = g_.add_variable(ipu::name_from("micro-batches"), ipu::element_type::i32, 1, here);
    number_ = number_again_ = g_.add_temporary(ipu::name_from("micro-batch"), ipu::element_type::i32, 1, here);
    if (o_.values_wait) number_again_ = g_.add_temporary(ipu::name_from("micro-batch kept"), ipu::element_type::i32, 1, here);
    made_.counters.push_back(counter);
    made_.values.push_back({number_, number_again_});
    made_.forward.then(count_up(g_, counter, number_));
  }

  enum class run_of : unsigned char { forward, again, backward };

  lowering surroundings(std::size_t i, run_of pass) const {
    const bool first = pass == run_of::forward;
    return {g_, o_.where, o_.samples,
            notes_.beside(numbers_[i], i, first),
            first ? number_ : number_again_,
            code(i).counts ? seed_of(o_.seed, steps()[i]) : 0,
            o_.training, first,
            name_of_step(stage_, i),
            o_.shards.replicas};
  }

  /// The variables that a pass of a step is given.
  struct variables {
    light_vector<on_tiles> in{}, out{}, d_out{}, d_in{};

    operator step_values() const { return {in.data(), out.data(), d_out.data(), d_in.data()}; }
  };
  variables values_of(std::size_t i, on_slot value) const {
    variables made;
    for (const std::size_t slot : steps()[i].in) made.in.push_back({slots_[slot].*value, true, layout_[slot].order});
    for (const std::size_t slot : steps()[i].out) made.out.push_back({slots_[slot].*value, true, layout_[slot].order});
    return made;
  }
  variables with_gradients(std::size_t i, on_slot gradient) const {
    variables made = values_of(i, &slot_variables::again);
    for (const std::size_t slot : steps()[i].out) {
      if (is_real(slot)) made.d_out.push_back({slots_[slot].*gradient, slots_[slot].has_gradient, layout_[slot].order});
    }
    return made;
  }
  /// Only what the pass reads or writes: other values may not be there.
  panel_bridge bridge_of(std::size_t i, variables& values, ipu::product_pass pass) {
    const layer_facts& facts = steps()[i].facts;
    const bool forward = pass == ipu::product_pass::forward, to_inputs = pass == ipu::product_pass::to_inputs;
    panel_bridge made{g_, layout_, code(i).panels};
    if (!to_inputs || facts.inputs_need_input) made.add(values.in, steps()[i].in, stage_.plan.slots, false, false);
    if (forward || (to_inputs && facts.inputs_need_output)) made.add(values.out, steps()[i].out, stage_.plan.slots, true, forward);
    made.add(values.d_out, true, false), made.add(values.d_in, false, true), made.open();
    const slot_layout like = alike_steps(g_, stage_, layout_, slots_, numbers_).in_panels(alike_, i);
    if (like.order.is_plain()) return made;
    if (!to_inputs || facts.inputs_need_input) made.bring(values.in[0], like, false);
    if (to_inputs) made.bring(values.d_in[0], like, true);
    return made;
  }
  bool is_real(std::size_t slot) const { return stage_.plan.slots[slot].real; }

  /// An operation, labelled with the block, if that is asked for; copies at the end are the last one's.
  ipu::step as_function(std::size_t i, ipu::step body, std::string_view pass) {
    ipu::step made = ipu::call(g_.add_function(g_.operation(name_of_step(stage_, i, pass).view(), std::move(body))));
    return o_.label_blocks ? ipu::labelled(algorithms::min(steps()[i].block, stage_.blocks.size() - 1), std::move(made)) : made;
  }

  /// Nothing is computed where a value is seen in another shape, or is an argument of the run.
  bool computes(std::size_t i) const {
    const step_plan& step = steps()[i];
    const bool hands_argument_on = step.out.size() == 1 && slots_.is_argument(step.out[0]);
    return !(step.facts.same_memory && step.facts.same_gradient) && !hands_argument_on;
  }

  void make_forward() {
    for (std::size_t i = 0; i < steps().size(); ++i) {
      if (!computes(i)) continue;
      const ipu::step function = run_forward(i, run_of::forward);
      made_.forward.then(function);
      if (!o_.training || !o_.recomputes || !slots_.runs_again(i)) continue;
      const bool later = o_.by_segment && steps()[i].segment + 1 < stage_.plan.segments;
      (later ? again_[steps()[i].segment] : made_.recompute).then(is_the_same_again(i) ? function : run_forward(i, run_of::again));
    }
  }
  /// True if a layer runs again between the very variables of its forward pass, so that its code can be shared.
  bool is_the_same_again(std::size_t i) const {
    const step_plan& step = steps()[i];
    bool same = step.facts.state == 0 && number_.index == number_again_.index && notes_.is_the_same_again(i);
    for (const std::size_t slot : step.in) same = same && slots_[slot].value.index == slots_[slot].again.index;
    for (const std::size_t slot : step.out) same = same && slots_[slot].value.index == slots_[slot].again.index;
    return same;
  }
  /// A pass of a step, by the code that it has in common with others like it.
  ipu::step shared(std::size_t i, shared_pass kind, const lowering& around, variables& values, ipu::step (*lower)(const lowering&, const step_values&)) {
    if (alike_[i] == not_shared) return lower(around, values);
    const layer_facts& facts = steps()[i].facts;
    const bool to_inputs = kind == shared_pass::to_inputs, to_weights = kind == shared_pass::to_weights;
    const pass_operands own{{&values.in, &values.out, &values.d_out, &values.d_in},
                            {!to_inputs || facts.inputs_need_input, to_inputs ? facts.inputs_need_output : !to_weights, true, true},
                            around.numbers, facts.parameters > facts.biases, facts.biases > 0, facts.state > 0, o_.training};
    return shared_.pass(alike_[i], kind, own, [&](const layer_numbers& numbers) {
      lowering inside = around;
      inside.numbers = numbers;
      return lower(inside, values);
    });
  }
  ipu::step run_forward(std::size_t i, run_of pass) {
    variables values = values_of(i, pass == run_of::forward ? &slot_variables::value : &slot_variables::again);
    panel_bridge bridge = bridge_of(i, values, ipu::product_pass::forward);
    const shared_pass kind = pass == run_of::forward || steps()[i].facts.state == 0 ? shared_pass::forward : shared_pass::again;
    ipu::step made = shared(i, kind, surroundings(i, pass), values, code(i).forward);
    return as_function(i, trained_.with_wholes(bridge.around(std::move(made))), pass == run_of::forward ? "forward" : "again");
  }

  /// Gradients that travel to the neighbour although no layer writes them, and those that a last stage begins with.
  ipu::step begin_backward() {
    const light_span<const slot_plan> slots = stage_.plan.slots;
    ipu::step program;
    for (std::size_t i = 0; i < stage_.plan.entering; ++i) {
      if (slots[i].never_written) program.then(ipu::fill(g_, slots_[i].gradient, 0));
    }
    if (!stage_.is_last) return program;
    for (const std::size_t out : stage_.plan.leaving) {
      const float of_loss = slots[out].elements == 1 ? o_.loss_gradient : 0;
      if (!slots[out].travels_back || !slots_[out].has_gradient) continue;
      program.then(ipu::fill(g_, slots_[out].gradient, of_loss));
      if (o_.scales_loss && of_loss != 0) program.then(scaled(slots_[out].gradient));
    }
    return program;
  }

  /// Multiplies gradients of a loss by the scale.
  ipu::step scaled(ipu::variable_id gradient) {
    if (!made_.loss_scale)
      made_.loss_scale = g_.add_variable(ipu::name_from("loss scale"), ipu::element_type::f32, 1, ipu::on_tile(1, o_.where.first_tile));
    return scaled_by(g_, *made_.loss_scale, gradient);
  }

  ipu::step clear_outputs(std::size_t i) {
    ipu::step program;
    for (const std::size_t out : steps()[i].out) {
      if (stage_.plan.slots[out].cleared && slots_[out].has_gradient) program.then(ipu::fill(g_, slots_[out].gradient, 0));
    }
    return program;
  }

  ipu::step inputs(std::size_t i) {
    const step_plan& step = steps()[i];
    ipu::step sums;
    // Where the gradient of an input is written: where it belongs, or beside it if others have written there.
    const auto target = [&](std::size_t slot, contribution to) -> on_tiles {
      const ipu::matrix_order& order = layout_[slot].order;
      if (to == contribution::none) return {{}, false, order};
      if (to == contribution::written) return {slots_[slot].gradient, slots_[slot].has_gradient, order};
      const ipu::variable_id more = slots_.more_of(slot);
      sums.then(ipu::scaled_add(g_, slots_[slot].gradient, 1, more));
      return {more, true, order};
    };
    variables values = with_gradients(i, &slot_variables::gradient);
    for (std::size_t position = 0; position < step.in.size(); ++position) {
      if (is_real(step.in[position])) values.d_in.push_back(target(step.in[position], step.to[position]));
    }
    panel_bridge bridge = bridge_of(i, values, ipu::product_pass::to_inputs);
    ipu::step made = shared(i, shared_pass::to_inputs, surroundings(i, run_of::backward), values, code(i).backward_inputs);
    return ipu::sequence(trained_.with_wholes(bridge.around(std::move(made))), std::move(sums));
  }

  ipu::step weights(std::size_t i) {
    variables values = with_gradients(i, &slot_variables::remembered);
    panel_bridge bridge = bridge_of(i, values, ipu::product_pass::to_weights);
    return trained_.with_wholes(bridge.around(shared(i, shared_pass::to_weights, surroundings(i, run_of::backward), values, code(i).backward_weights)));
  }

  /// Both halves apart and, unless gradients wait between them, layer by layer, so that each is live for a short time.
  /// By segment, what a segment needs is made again once the one behind it has been gone back through.
  void make_backward() {
    made_.backward_inputs = begin_backward();
    if (!o_.slopes_wait) made_.backward = made_.backward_inputs;
    for (std::size_t i = steps().size(); i-- > 0;) make_backward(i);
    if (!o_.slopes_wait) return;
    ipu::step remember;
    for (const plan::carried& slope : made_.slopes) remember.then(ipu::copy_all(g_, slope.made, slope.read));
    made_.backward = ipu::sequence(made_.backward_inputs, std::move(remember), made_.backward_weights);
  }
  void make_backward(std::size_t i) {
    const auto put = [&](ipu::step made, ipu::step& half, std::string_view pass) {
      if (made.empty()) return;
      const ipu::step function = as_function(i, std::move(made), pass);
      half.then(function);
      if (!o_.slopes_wait) made_.backward.then(function);
    };
    const std::size_t segment = steps()[i].segment;
    if (i + 1 < steps().size() && segment != steps()[i + 1].segment) put(std::move(again_[segment]), made_.backward_inputs, "segment");
    put(clear_outputs(i), made_.backward_inputs, "clear");
    if (steps()[i].facts.parameters > 0) put(weights(i), made_.backward_weights, "to weights");
    if (steps()[i].computes_inputs) put(inputs(i), made_.backward_inputs, "to inputs");
  }

  void make_clear() {
    for (const plan::trained_tensor& t : made_.parameters) made_.clear.then(ipu::fill(g_, t.gradient, 0));
  }

  ipu::graph& g_;
  stage_on_tiles stage_;
  plan::lowering_options o_;
  plan::lowered made_{};
  light_vector<slot_kind> kinds_;
  stage_panels layout_;
  stage_numbers trained_;
  light_vector<layer_numbers> numbers_{};  // of each step
  stage_variables slots_;
  light_vector<ipu::step> again_;  // of each segment: what backward makes again as it comes to it
  shared_passes shared_;
  light_vector<std::size_t> alike_{};  // of each step: the first one whose code it shares, or none
  stage_notes notes_{};
  ipu::variable_id number_{};
  ipu::variable_id number_again_{};
};
using stage_lowering = basic_stage_lowering<>;

}  // namespace ipuflow::nn::impl

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow::nn {
extern template class impl::basic_stage_lowering<>;
}  // namespace ipuflow::nn
#endif
