// SPDX-License-Identifier: BSL-1.0
// Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019): they differ in where weight decay enters, in the
// gradient or beside it.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>
#include <ipuflow/train/optimisers/learning_rate.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::train {

enum class decay : unsigned char { in_gradient, decoupled };

/// `First`, `Second`: the numbers of the two means. The second needs the range of a float: see docs/training.md.
template <decay Decay, class First = float, class Second = First>
struct basic_adam {
  using state_type = impl::pair_of_states<First, Second>;
  static constexpr std::size_t states = 2;       ///< per parameter: the means of the gradient and of its square
  static constexpr std::size_t operations = 34;  ///< of a worker for two parameters: ten each for root and quotient

  learning_rate rate = 1e-3f;  ///< a number, or a schedule
  float beta1 = 0.9f;  ///< share of the old in the mean of gradients
  float beta2 = 0.999f;  ///< share of the old in the mean of their squares
  float epsilon = 1e-8f;  ///< added to the root that is divided by
  float weight_decay = Decay == decay::decoupled ? 1e-2f : 0.0f;  ///< pull towards zero: in the gradient (adam), or beside it (adamw)
  bool bias_correction = true;  ///< means that begin at zero are too small at first; this makes up for it

  /// The first figure that is none to train with.
  [[nodiscard]] constexpr figure_fault verify() const {
    return first_wrong({verify_amount(rate, "rate"), verify_amount(epsilon, "epsilon"),
                        verify_amount(weight_decay, "weight_decay"), verify_share(beta1, "beta1"),
                        verify_share(beta2, "beta2")});
  }

  using state_view = typename impl::state_layout<state_type, states>::view;

  /// As `basic_sgd::update`.
  template <class Parameter>
  void update(std::span<Parameter> parameters, std::span<const float> gradients, state_view state,
              std::size_t step) const {
    const std::size_t n = parameters.size();
    const auto count = static_cast<float>(step);
    const float rate_now = rate.at(step);
    const float rate1 = bias_correction ? rate_now / (1 - math::pow(beta1, count)) : rate_now;
    const float scale2 = bias_correction ? 1 / math::sqrt(1 - math::pow(beta2, count)) : 1;
    First* const mean = impl::run_of<0>(state, n).data();
    Second* const square = impl::run_of<1>(state, n).data();
    for (std::size_t i = 0; i < n; ++i) {
      const auto exact = static_cast<impl::changed_in<Parameter>>(parameters[i]);
      const auto before = static_cast<float>(exact);
      const float slope = gradients[i] + (Decay == decay::in_gradient ? weight_decay * before : 0);
      const float m = beta1 * static_cast<float>(mean[i]) + (1 - beta1) * slope;
      const float v = beta2 * static_cast<float>(square[i]) + (1 - beta2) * slope * slope;
      mean[i] = static_cast<First>(m);
      square[i] = static_cast<Second>(v);
      const auto kept = Decay == decay::decoupled ? exact - rate_now * weight_decay * before : exact;
      parameters[i] = static_cast<Parameter>(kept - rate1 * m / impl::divisor(math::sqrt(v) * scale2 + epsilon));
    }
  }
};

using adam = basic_adam<decay::in_gradient>;
using adamw = basic_adam<decay::decoupled>;

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
#include <ipuflow/train/optimisers/optimiser_code.hpp>

namespace ipuflow::train::impl {
extern template optimiser_code<float> optimiser_code_of<float>(const adam&);
extern template void check_figures(const adam&);
extern template optimiser_code<float> optimiser_code_of<float>(const adamw&);
extern template void check_figures(const adamw&);
}  // namespace ipuflow::train::impl
#endif
