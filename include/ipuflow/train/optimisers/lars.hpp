// SPDX-License-Identifier: BSL-1.0
// LARS (You et al., 2017): momentum whose rate is, for each tensor, a share of its length by that of its gradient. Networks
// of images are trained with it in large batches. It looks at a tensor as a whole, so its spans must be whole tensors.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>
#include <ipuflow/train/optimisers/learning_rate.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace ipuflow::train {

/// `State`: the number that a velocity is.
template <class State = float>
struct basic_lars {
  using state_type = State;
  static constexpr std::size_t states = 1;  ///< per parameter: the velocity
  static constexpr bool whole_tensors = true;
  static constexpr std::size_t operations = 10;  ///< of a worker for two parameters: two multiply-adds and then three

  learning_rate rate = 1.0f;   ///< a number, or a schedule
  float momentum = 0.9f;       ///< share of the old velocity that is kept
  float weight_decay = 1e-4f;  ///< pull towards zero, in the gradient
  float trust = 1e-3f;         ///< how far a tensor may go in an update, by its length, at a rate of 1
  float epsilon = 0;           ///< added to the length that is divided by
  bool by_length = true;       ///< no: momentum at the rate as it is, which is for biases and norms

  /// The first figure that is none to train with.
  [[nodiscard]] constexpr figure_fault verify() const {
    return first_wrong({verify_amount(rate, "rate"), verify_amount(momentum, "momentum"),
                        verify_amount(weight_decay, "weight_decay"), verify_amount(trust, "trust"),
                        verify_amount(epsilon, "epsilon")});
  }

  /// Sums over a tensor that the update of each of its parts depends on: of squares, of parameters and of gradients.
  using sums_type = std::array<double, 2>;

  /// As `basic_sgd::update`, for one whole tensor.
  template <class Parameter>
  void update(std::span<Parameter> parameters, std::span<const float> gradients, std::span<State> state,
              std::size_t step) const {
    finish(parameters, gradients, state, step, prepare(parameters, gradients, state, step));
  }

  /// The first half of an update of a part of a tensor; the second wants the sums of all parts.
  template <class Parameter>
  [[nodiscard]] sums_type prepare(std::span<Parameter> parameters, std::span<const float> gradients, std::span<State>,
                                  std::size_t) const {
    double length = 0;
    double slope_length = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto value = static_cast<double>(static_cast<float>(parameters[i]));
      const auto slope = static_cast<double>(gradients[i]);
      length += value * value;
      slope_length += slope * slope;
    }
    return {length, slope_length};
  }
  template <class Parameter>
  void finish(std::span<Parameter> parameters, std::span<const float> gradients, std::span<State> state, std::size_t step,
              const sums_type& sums) const {
    const float rate_now = rate.at(step) * share_of(sums);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto exact = static_cast<impl::changed_in<Parameter>>(parameters[i]);
      const auto before = static_cast<float>(exact);
      const float slope = gradients[i] + weight_decay * before;
      const float velocity = momentum * static_cast<float>(state[i]) + rate_now * slope;
      state[i] = static_cast<State>(velocity);
      parameters[i] = static_cast<Parameter>(exact - velocity);
    }
  }

 private:
  /// Of the rate; a tensor of zeros, and one without a slope, has all of it.
  float share_of(const sums_type& sums) const {
    if (!by_length || sums[0] == 0 || sums[1] == 0) return 1;
    const double length = math::sqrt(sums[0]);
    const double slope_length = math::sqrt(sums[1]);
    return trust * static_cast<float>(length / (slope_length + static_cast<double>(weight_decay) * length + static_cast<double>(epsilon)));
  }
};

using lars = basic_lars<>;

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
#include <ipuflow/train/optimisers/optimiser_code.hpp>

namespace ipuflow::train::impl {
extern template optimiser_code<float> optimiser_code_of<float>(const lars&);
extern template void check_figures(const lars&);
}  // namespace ipuflow::train::impl
#endif
