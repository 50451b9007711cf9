// SPDX-License-Identifier: BSL-1.0
// One stage of a pipeline of layers by its types: the code that `host_stage` runs, and views of its values.
#pragma once

#include <ipuflow/nn/stage/host_stage.hpp>
#include <ipuflow/nn/stage/verify_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::nn {

namespace detail {

/// The table of the steps of a stage. Backward passes that no step asks for are not compiled.
template <class T, bool Trains, const auto& Plan, class... Layer, class... In, class... Out, class... Reads, class... Makes,
          std::size_t... Block, std::size_t... Op, std::size_t... I>
constexpr auto kernels_of(walk::list<walk::layer_step<Layer, In, Out, Reads, Makes, Block, Op>...>, std::index_sequence<I...>) {
  return bounded_vector<step_kernels<T>, sizeof...(I)>{
      {impl::kernels_between<T, Layer, Reads, Makes>::template table<Trains && Plan.steps[I].computes_inputs, Trains>()...}, sizeof...(I)};
}

template <class T, bool Trains, const auto& Plan, class Slots, class Steps, std::size_t Entering, class Leaving>
constexpr auto kernels_of(impl::stage_steps<Slots, Steps, Entering, Leaving>) {
  return kernels_of<T, Trains, Plan>(Steps{}, std::make_index_sequence<Steps::size>{});
}
template <class Steps, class T, bool Trains, const auto& Plan>
inline constexpr auto kernel_table = kernels_of<T, Trains, Plan>(Steps{});

}  // namespace detail

/// The code of a stage, or of one of its branches, outside of its types. One that does not train has no backward passes.
template <class P, std::size_t Stage, class T, std::size_t Branch = every_branch, bool Trains = true>
inline constexpr stage_code<T> code_of = [] {
  static_assert(accept<verify_stage<P, Stage, T, Branch>(Trains)>());
  constexpr const auto& plan = planned<P, Stage, T, Branch>;
  constexpr const auto& steps = detail::kernel_table<impl::steps_of_stage<P, Stage, Branch>, T, Trains, plan>;
  constexpr const auto& leaves_at = exit_positions<P, Stage, Branch>;
  return stage_code<T>{impl::view_of(plan), {steps.data(), steps.size()}, {leaves_at.data(), leaves_at.size()}};
}();

/// Writes the initial parameters and state of a stage. The same layer gets the same numbers whatever stage it is grouped
/// into.
template <class P, std::size_t Stage, class T, std::size_t Branch = every_branch>
constexpr void initialise_stage(std::uint64_t seed, T* values, T* state) {
  constexpr const auto& plan = planned<P, Stage, T, Branch>;
  using types = impl::step_types<impl::steps_of_stage<P, Stage, Branch>>;
  types::each([&]<class Layer, class Reads, class>(std::size_t i) {
    const impl::step_plan& step = plan.steps[i];
    impl::initialise_step<Layer>(Reads{}, impl::seed_of(seed, step), values + step.parameters_begin, state + step.state_begin);
  });
}

/// `Compute`: what layers compute with, whatever real type the tensors are declared to have. `Branch`: one of several
/// concurrent branches; what enters is what enters the stage, what leaves is its part of what leaves that. `Trains`: false
/// for one without backward passes.
template <class P, std::size_t Stage, class Compute = float, std::size_t Branch = every_branch, bool Trains = true>
class stage_program : public host_stage<Compute> {
  static_assert(accept<verify_stage<P, Stage, Compute, Branch>(Trains)>());
  using types = impl::step_types<impl::steps_of_stage<P, Stage, Branch>>;

 public:
  /// Slots, steps, numbers of parameters, work.
  static constexpr const auto& plan = planned<P, Stage, Compute, Branch>;
  static constexpr std::size_t parameter_count = plan.parameters;
  static constexpr std::size_t state_count = plan.state;
  /// The place in stage_output of each value that leaves.
  static constexpr const auto& leaves_at = exit_positions<P, Stage, Branch>;

  /// `by_segment`: memory for `backward_by_segment`.
  explicit stage_program(std::size_t samples, bool by_segment = false)
      : host_stage<Compute>{code_of<P, Stage, Compute, Branch, Trains>, samples, by_segment} {}

  static constexpr void initialise(std::uint64_t seed, Compute* values, Compute* state) {
    initialise_stage<P, Stage, Compute, Branch>(seed, values, state);
  }

  /// A view of slot `Index`, or of its gradient.
  template <std::size_t Index>
  auto value(const stage_memory& memory) const {
    return seen(memory).template value<typename types::template batch_of<Index, Compute>>(Index);
  }
  template <std::size_t Index>
  auto gradient(const stage_memory& memory) const {
    return seen(memory).template gradient<typename types::template batch_of<Index, Compute>>(Index);
  }
  /// The values that enter or leave at a position of stage_input or stage_output.
  template <std::size_t Position>
  auto input(const stage_memory& memory) const {
    return value<Position>(memory);
  }
  template <std::size_t Position>
  auto output(const stage_memory& memory) const {
    return value<plan.leaving[Position]>(memory);
  }

 private:
  impl::step_pass<Compute> seen(const stage_memory& memory) const {
    static constexpr impl::step_plan none{};
    return {this->code().plan, this->layout(), memory, none, {}, nullptr, {}, {0, this->layout().groups}};
  }
};

}  // namespace ipuflow::nn
