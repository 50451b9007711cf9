// SPDX-License-Identifier: BSL-1.0
// One stage of a pipeline of layers, ready to run on the host: forward, backward for inputs, backward for weights, over
// memory that the caller owns. Layers that look at one sample at a time are run group by group, all of them on one group
// before the next, so that what one writes is in the cache when the next reads it. What a backward pass reads can be made
// again before it, all at once or segment by segment. Types end at the table of kernels: this is code for all stages.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/nn/simd/rounding.hpp>
#include <ipuflow/nn/stage/step_kernels.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace ipuflow::nn {

/// A stage outside of its types.
template <class T>
struct stage_code {
  plan_view plan{};
  light_span<const step_kernels<T>> steps{};
  light_span<const std::size_t> leaves_at{};  ///< the place in stage_output of each value that leaves
};

/// Adds some bytes of a gradient of a slot to others. The sum is kept as the slot is: a sum of halves is a half, whatever stage
/// makes it.
template <class T>
void add_gradient(const slot_plan& slot, std::byte* to, const std::byte* from, std::size_t count) {
  auto* const sum = reinterpret_cast<lanes<T>*>(to);
  const auto* const more = reinterpret_cast<const lanes<T>*>(from);
  for (std::size_t i = 0; i < count / sizeof(lanes<T>); ++i) {
    sum[i] += more[i];
    if constexpr (!std::is_same_v<T, half>) {
      if (slot.rounds) sum[i] = rounded(sum[i]);
    }
  }
}

/// `T`: what layers compute with.
template <class T>
class host_stage {
 public:
  /// `by_segment`: memory for `backward_by_segment`. The code has to last as long as the stage.
  host_stage(const stage_code<T>& code, std::size_t samples, bool by_segment = false)
      : code_{&code}, layout_{layout_of(code.plan, samples, by_segment)} {}

  const stage_code<T>& code() const { return *code_; }
  /// Bytes of every area, and where slots are in them.
  const host_layout& layout() const { return layout_; }

  /// The place where a slot's lanes begin.
  std::byte* value_of(std::size_t slot, const stage_memory& memory) const {
    const std::size_t root = plan().slots[slot].root;
    return memory.values[static_cast<std::size_t>(plan().slots[root].where)] + layout_.value_offset[root];
  }

  /// Reads entry; writes exit, kept and passing values.
  void forward(const stage_memory& memory, parameters<T> p, const context& c) const {
    ahead(0, step_count(), {memory, p, c, nullptr}, false);
  }

  /// Makes again what the backward passes read of the values that `forward` makes, from the same entry. State stays as
  /// it is.
  void recompute(const stage_memory& memory, parameters<T> p, context c) const {
    c.updates_state = false;
    ahead(0, step_count(), {memory, p, c, nullptr}, true);
  }

  /// Reads exit gradients and the values that are `needed_by_inputs`; writes entry, kept and passing gradients.
  void backward_inputs(const stage_memory& memory, parameters<T> p, const context& c) const {
    clear_unwritten(memory);
    back(0, step_count(), {memory, p, c, nullptr}, {.of_inputs = true});
  }

  /// Reads the values and gradients that are needed by weights; adds to `d_parameters`.
  void backward_weights(const stage_memory& memory, parameters<T> p, const context& c, T* d_parameters) const {
    back(0, step_count(), {memory, p, c, d_parameters}, {.of_weights = true});
  }

  /// Both in one walk, bit for bit the same numbers: gradients are used while they are in the cache.
  void backward(const stage_memory& memory, parameters<T> p, const context& c, T* d_parameters) const {
    clear_unwritten(memory);
    back(0, step_count(), {memory, p, c, d_parameters}, {.of_inputs = true, .of_weights = true});
  }

  /// The same for a stage of which only entry and stored values are left: makes each segment again and goes back
  /// through it, the last one first.
  void backward_by_segment(const stage_memory& memory, parameters<T> p, context c, T* d_parameters) const {
    c.updates_state = false;
    clear_unwritten(memory);
    const pass_through pass{memory, p, c, d_parameters};
    for (std::size_t s = plan().segments; s-- > 0;) {
      const std::size_t from = impl::first_of_segment(plan(), s);
      const std::size_t to = impl::first_of_segment(plan(), s + 1);
      ahead(from, to, pass, true);
      back(from, to, pass, {.of_inputs = true, .of_weights = true});
    }
  }

  /// Fills the exit gradients of a last stage: `scale` for every sample of every loss, zero for all else.
  void seed_gradients(const stage_memory& memory, T scale) const {
    for (const std::size_t slot : plan().leaving) {
      if (!plan().slots[slot].travels_back) continue;
      clear_gradient(slot, memory, everything());
      if (!plan().slots[slot].single) continue;
      auto* const all = reinterpret_cast<lanes<T>*>(gradient_of(slot, memory));
      for (std::size_t i = 0; i < layout_.samples; ++i) all[i / lane_count].set(i % lane_count, scale);
    }
  }

 private:
  /// The facts that all steps of a pass have in common.
  struct pass_through {
    const stage_memory& memory;
    parameters<T> numbers;
    context about;
    T* d_parameters;
  };

  /// The gradients that a way back makes.
  struct gradients_made {
    bool of_inputs = false;
    bool of_weights = false;
  };

  const plan_view& plan() const { return code_->plan; }
  std::size_t step_count() const { return plan().steps.size(); }
  impl::group_range everything() const { return {0, layout_.groups}; }

  /// Steps in order: those that want the whole batch once, runs of others group by group. `again`: only those that run again.
  void ahead(std::size_t first, std::size_t last, const pass_through& pass, bool again) const {
    for (std::size_t from = first, end; from < last; from = end) {
      end = impl::end_of_part(plan(), from, last);
      each_turn(from, [&](impl::group_range at) {
        for (std::size_t i = from; i < end; ++i) {
          if (!again || plan().steps[i].runs_again) run(code_->steps[i].forward, i, pass, at);
        }
      });
    }
  }
  /// Backwards.
  void back(std::size_t first, std::size_t last, const pass_through& pass, gradients_made make) const {
    for (std::size_t end = last, from; end > first; end = from) {
      from = impl::begin_of_part(plan(), end, first);
      each_turn(from, [&](impl::group_range at) {
        for (std::size_t i = end; i-- > from;) {
          if (make.of_inputs) clear_outputs(i, pass.memory, at);
          if (make.of_weights) run(code_->steps[i].backward_weights, i, pass, at);
          if (make.of_inputs) step_inputs(i, pass, at);
        }
      });
    }
  }
  template <class Visit>
  void each_turn(std::size_t step, Visit visit) const {
    if (plan().steps[step].facts.whole_batch) return visit(everything());
    for (std::size_t g = 0; g < layout_.groups; ++g) visit(impl::group_range{g, 1});
  }

  using kernel = void (*)(const impl::step_pass<T>&);
  void run(kernel wanted, std::size_t i, const pass_through& pass, impl::group_range at) const {
    if (wanted != nullptr) wanted(of_step(i, pass, at));
  }
  void step_inputs(std::size_t i, const pass_through& pass, impl::group_range at) const {
    const impl::step_plan& step = plan().steps[i];
    if (code_->steps[i].backward_inputs == nullptr) return;
    code_->steps[i].backward_inputs(of_step(i, pass, at));
    for (std::size_t in = 0; in < step.in.size(); ++in) {
      if (step.to[in] == impl::contribution::added) add_sum(step.in[in], pass.memory, at);
    }
  }

  impl::step_pass<T> of_step(std::size_t i, const pass_through& pass, impl::group_range at) const {
    const impl::step_plan& step = plan().steps[i];
    context about = pass.about;
    about.seed = impl::seed_of(about.seed, step);
    about.first_group = at.first;
    return {plan(),
            layout_,
            pass.memory,
            step,
            {pass.numbers.values + step.parameters_begin, pass.numbers.state + step.state_begin},
            pass.d_parameters == nullptr ? nullptr : pass.d_parameters + step.parameters_begin,
            about,
            at};
  }

  std::byte* gradient_of(std::size_t slot, const stage_memory& memory) const {
    const std::size_t root = plan().slots[slot].gradient_root;
    return memory.gradients[static_cast<std::size_t>(plan().slots[root].gradient_where)] +
           layout_.gradient_offset[root];
  }

  struct byte_range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// The bytes of a slot that hold some groups.
  byte_range bytes_of(const slot_plan& slot, impl::group_range at) const {
    const std::size_t first = slot.bytes_of(at.first * lane_count);
    return {first, slot.bytes_of(algorithms::min(layout_.samples, (at.first + at.count) * lane_count)) - first};
  }

  void clear_gradient(std::size_t slot, const stage_memory& memory, impl::group_range at) const {
    const auto [first, count] = bytes_of(plan().slots[slot], at);
    std::memset(gradient_of(slot, memory) + first, 0, count);
  }
  void clear_outputs(std::size_t i, const stage_memory& memory, impl::group_range at) const {
    for (const std::size_t out : plan().steps[i].out) {
      if (plan().slots[out].cleared) clear_gradient(out, memory, at);
    }
  }
  void clear_unwritten(const stage_memory& memory) const {
    for (std::size_t i = 0; i < plan().entering; ++i) {
      if (plan().slots[i].never_written) clear_gradient(i, memory, everything());
    }
  }
  /// Adds what a step has written beside a gradient that exists.
  void add_sum(std::size_t slot, const stage_memory& memory, impl::group_range at) const {
    const auto [first, count] = bytes_of(plan().slots[slot], at);
    const std::byte* const beside = memory.gradients[static_cast<std::size_t>(area::passing)] + layout_.sum_offset;
    add_gradient<T>(plan().slots[slot], gradient_of(slot, memory) + first, beside + first, count);
  }

  const stage_code<T>* code_;
  host_layout layout_;
};

}  // namespace ipuflow::nn
