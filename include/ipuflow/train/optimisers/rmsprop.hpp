// SPDX-License-Identifier: BSL-1.0
// RMSprop (Hinton 2012): a gradient is divided by the root of the mean of its squares, and what comes out may have momentum. PyTorch
// and TensorFlow have it in two forms, which EfficientNet and MobileNet were trained with.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>
#include <ipuflow/train/optimisers/learning_rate.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::train {

/// The place of epsilon, and of the rate: beside the root and in the step, or within the root and in the velocity, which then is not
/// rescaled when the rate changes.
enum class rms : unsigned char { as_pytorch, as_tensorflow };

/// `First`, `Second`: the numbers of the velocity and of the mean of squares, which needs the range of a float: see docs/training.md.
template <rms Form, class First = float, class Second = First>
struct basic_rmsprop {
  using state_type = impl::pair_of_states<First, Second>;
  static constexpr std::size_t states = 2;       ///< per parameter: the velocity, and the mean of the gradient's square
  static constexpr std::size_t operations = 32;  ///< of a worker for two parameters: ten each for root and quotient

  learning_rate rate = 1e-2f;  ///< a number, or a schedule
  float decay = 0.99f;         ///< share of the old in the mean of squares
  float momentum = 0;          ///< share of the last velocity that is kept
  float epsilon = 1e-8f;       ///< keeps what is divided by from zero
  float weight_decay = 0;      ///< pull towards zero, in the gradient

  /// The first figure that is none to train with.
  [[nodiscard]] constexpr figure_fault verify() const {
    return first_wrong({verify_amount(rate, "rate"), verify_share(decay, "decay"), verify_amount(momentum, "momentum"),
                        verify_amount(epsilon, "epsilon"), verify_amount(weight_decay, "weight_decay")});
  }

  using state_view = typename impl::state_layout<state_type, states>::view;

  /// As `basic_sgd::update`.
  template <class Parameter>
  void update(std::span<Parameter> parameters, std::span<const float> gradients, state_view state,
              std::size_t step) const {
    const std::size_t n = parameters.size();
    const float rate_now = rate.at(step);
    First* const velocity = impl::run_of<0>(state, n).data();
    Second* const square = impl::run_of<1>(state, n).data();
    for (std::size_t i = 0; i < n; ++i) {
      const auto exact = static_cast<impl::changed_in<Parameter>>(parameters[i]);
      const auto before = static_cast<float>(exact);
      const float slope = gradients[i] + weight_decay * before;
      const float s = decay * static_cast<float>(square[i]) + (1 - decay) * slope * slope;
      const float root = impl::divisor(Form == rms::as_tensorflow ? math::sqrt(s + epsilon) : math::sqrt(s) + epsilon);
      const float pull = Form == rms::as_tensorflow ? rate_now * slope / root : slope / root;
      const float v = momentum * static_cast<float>(velocity[i]) + pull;
      velocity[i] = static_cast<First>(v);
      square[i] = static_cast<Second>(s);
      parameters[i] = static_cast<Parameter>(exact - (Form == rms::as_tensorflow ? v : rate_now * v));
    }
  }
};

using rmsprop = basic_rmsprop<rms::as_pytorch>;
using rmsprop_tf = basic_rmsprop<rms::as_tensorflow>;

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
#include <ipuflow/train/optimisers/optimiser_code.hpp>

namespace ipuflow::train::impl {
extern template optimiser_code<float> optimiser_code_of<float>(const rmsprop&);
extern template void check_figures(const rmsprop&);
extern template optimiser_code<float> optimiser_code_of<float>(const rmsprop_tf&);
extern template void check_figures(const rmsprop_tf&);
}  // namespace ipuflow::train::impl
#endif
