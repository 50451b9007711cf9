// SPDX-License-Identifier: BSL-1.0
// LAMB (You et al., 2020): Adam's direction, as long as the tensor that it changes. It looks at a tensor as a
// whole, so its spans must be whole tensors.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>
#include <ipuflow/train/optimisers/learning_rate.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace ipuflow::train {

/// `First`, `Second`: as those of Adam.
template <class First = float, class Second = First>
struct basic_lamb {
  using state_type = impl::pair_of_states<First, Second>;
  static constexpr std::size_t states = 2;
  static constexpr bool whole_tensors = true;
  static constexpr std::size_t operations = 70;  ///< of a worker for two parameters: both halves [assumed: about twice those of Adam]

  learning_rate rate = 1e-3f;           ///< a number, or a schedule
  float beta1 = 0.9f;           ///< share of the old in the mean of gradients
  float beta2 = 0.999f;         ///< share of the old in the mean of their squares
  float epsilon = 1e-6f;        ///< added to the root that is divided by
  float weight_decay = 1e-2f;   ///< pull towards zero
  bool bias_correction = true;  ///< makes up for means that begin at zero

  /// The first figure that is none to train with.
  [[nodiscard]] constexpr figure_fault verify() const {
    return first_wrong({verify_amount(rate, "rate"), verify_amount(epsilon, "epsilon"),
                        verify_amount(weight_decay, "weight_decay"), verify_share(beta1, "beta1"),
                        verify_share(beta2, "beta2")});
  }

  /// Sums over a tensor that the update of each of its parts depends on: of squares, of parameters and of directions.
  using sums_type = std::array<double, 2>;

  using state_view = typename impl::state_layout<state_type, states>::view;

  /// As `basic_sgd::update`, for one whole tensor.
  template <class Parameter>
  void update(std::span<Parameter> parameters, std::span<const float> gradients, state_view state,
              std::size_t step) const {
    finish(parameters, state, step, prepare(parameters, gradients, state, step));
  }

  /// The first half of an update of a part of a tensor; the second wants the sums of all parts.
  template <class Parameter>
  [[nodiscard]] sums_type prepare(std::span<Parameter> parameters, std::span<const float> gradients, state_view state,
                                  std::size_t step) const {
    const std::size_t n = parameters.size();
    const correction by = correction_at(step);
    const std::span<First> mean = impl::run_of<0>(state, n);
    const std::span<Second> square = impl::run_of<1>(state, n);
    double length = 0;
    double step_length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      remember(gradients[i], mean[i], square[i]);
      const auto value = static_cast<float>(parameters[i]);
      const float along = direction(value, mean[i], square[i], by);
      length += static_cast<double>(value) * static_cast<double>(value);
      step_length += static_cast<double>(along) * static_cast<double>(along);
    }
    return {length, step_length};
  }
  template <class Parameter>
  void finish(std::span<Parameter> parameters, state_view state, std::size_t step, const sums_type& sums) const {
    const std::size_t n = parameters.size();
    const correction by = correction_at(step);
    const std::span<First> mean = impl::run_of<0>(state, n);
    const std::span<Second> square = impl::run_of<1>(state, n);
    const auto [length, step_length] = sums;
    const float rate_now = rate.at(step);
    const double trust = length > 0 && step_length > 0 ? math::sqrt(length / step_length) : 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto exact = static_cast<impl::changed_in<Parameter>>(parameters[i]);
      const float along = direction(static_cast<float>(exact), mean[i], square[i], by);
      parameters[i] = static_cast<Parameter>(exact - rate_now * static_cast<float>(trust) * along);
    }
  }

 private:
  /// Means that begin at zero are too small at first; these make up for it.
  struct correction {
    float mean = 1;
    float square = 1;
  };
  correction correction_at(std::size_t step) const {
    if (!bias_correction) return {};
    const auto count = static_cast<float>(step);
    return {1 / (1 - math::pow(beta1, count)), 1 / (1 - math::pow(beta2, count))};
  }

  void remember(float slope, First& mean, Second& square) const {
    mean = static_cast<First>(beta1 * static_cast<float>(mean) + (1 - beta1) * slope);
    square = static_cast<Second>(beta2 * static_cast<float>(square) + (1 - beta2) * slope * slope);
  }
  float direction(float value, First mean, Second square, const correction& by) const {
    const float m = static_cast<float>(mean) * by.mean;
    const float v = static_cast<float>(square) * by.square;
    return m / impl::divisor(math::sqrt(v) + epsilon) + weight_decay * value;
  }
};

using lamb = basic_lamb<>;

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
#include <ipuflow/train/optimisers/optimiser_code.hpp>

namespace ipuflow::train::impl {
extern template optimiser_code<float> optimiser_code_of<float>(const lamb&);
extern template void check_figures(const lamb&);
}  // namespace ipuflow::train::impl
#endif
