// SPDX-License-Identifier: BSL-1.0
// Stochastic gradient descent, optionally with momentum and weight decay. An optimiser is a value: its figures. Its
// state, the numbers that it remembers of each parameter between updates, is kept by the caller of `update`, in the
// type that the optimiser names; so the caller may shard it over replicas or keep it elsewhere.
#pragma once

#include <ipuflow/train/optimisers/figure_fault.hpp>
#include <ipuflow/train/optimisers/learning_rate.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::train {

/// Gradient descent with momentum.
template <class State = float>
struct basic_sgd {
  using state_type = State;
  static constexpr std::size_t states = 1;      ///< per parameter: the velocity
  static constexpr std::size_t operations = 6;  ///< of a worker of a tile for two parameters: three multiply-adds

  learning_rate rate = 1e-2f;      ///< a number, or a schedule
  float momentum = 0;      ///< share of the last velocity that is kept
  float weight_decay = 0;  ///< pull towards zero, in the gradient

  /// The first figure that is none to train with.
  [[nodiscard]] constexpr figure_fault verify() const {
    return first_wrong({verify_amount(rate, "rate"), verify_amount(momentum, "momentum"),
                        verify_amount(weight_decay, "weight_decay")});
  }

  /// One update of some parameters. `state` has `states` runs, each as long as `parameters`; it starts out as zeros.
  /// `step` counts updates from 1. Elements do not depend on each other, so any cut of the spans gives the same.
  template <class Parameter>
  void update(std::span<Parameter> parameters, std::span<const float> gradients, std::span<State> state,
              std::size_t step) const {
    const float rate_now = rate.at(step);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto exact = static_cast<impl::changed_in<Parameter>>(parameters[i]);
      const auto before = static_cast<float>(exact);
      const float slope = gradients[i] + weight_decay * before;
      const float velocity = momentum * static_cast<float>(state[i]) + slope;
      state[i] = static_cast<State>(velocity);
      parameters[i] = static_cast<Parameter>(exact - rate_now * velocity);
    }
  }
};

using sgd = basic_sgd<>;

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
#include <ipuflow/train/optimisers/optimiser_code.hpp>

namespace ipuflow::train::impl {
extern template optimiser_code<float> optimiser_code_of<float>(const sgd&);
extern template void check_figures(const sgd&);
}  // namespace ipuflow::train::impl
#endif
