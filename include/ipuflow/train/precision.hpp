// SPDX-License-Identifier: BSL-1.0
// The types of numbers. Data have the type that the pipeline's tensors declare, an optimiser's state the one that the
// optimiser names; the rest is chosen here. A model stores at least float. Half-precision parameters are floats
// rounded to half.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/simd/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ipuflow::train {

/// `Compute`: what layers compute with, and so their partial sums. `Parameter`: what parameters can hold between
/// updates; of more bits than `Compute` they are master copies. `Accumulator`: what gradients of micro-batches are
/// added up in.
template <class Compute = float, class Parameter = Compute,
          class Accumulator = std::conditional_t<std::is_same_v<Compute, double>, double, float>>
struct precision {
  using compute = Compute;
  using parameter = Parameter;
  using accumulator = Accumulator;
  /// The type of the numbers in a model.
  using number =
      std::conditional_t<std::is_same_v<Compute, double> || std::is_same_v<Parameter, double>, double, float>;
};

/// The rounding of parameters to fewer bits: to the nearest number, or to one of the two nearest at random, each as
/// probable as it is near, so that updates too small to see add up.
enum class rounding : unsigned char { nearest, stochastic };

namespace impl {

/// Rounds to numbers that a `Parameter` can hold. The random numbers are those of `stream` from number `first` on,
/// whatever the order in which parts of a whole are rounded.
template <class Parameter, class Number>
void round_to(light_span<Number> values, rounding how, std::uint64_t stream, std::size_t first) {
  if constexpr (sizeof(Parameter) >= sizeof(Number)) {
    return;
  } else if (how == rounding::nearest || !std::is_same_v<Parameter, half>) {
    for (Number& v : values) v = static_cast<Number>(static_cast<Parameter>(static_cast<float>(v)));
  } else {
    for (std::size_t i = 0; i < values.size(); i += nn::lane_count) {
      const std::size_t count = algorithms::min(nn::lane_count, values.size() - i);
      nn::lanes<float> some{};
      nn::lanes<std::uint32_t> random{};
      for (std::size_t l = 0; l < count; ++l) {
        some.set(l, static_cast<float>(values[i + l]));
        random.set(l, static_cast<std::uint32_t>(nn::random_bits(stream, first + i + l) >> 32));
      }
      const nn::lanes<float> rounded = nn::stochastically_rounded(some, random);
      for (std::size_t l = 0; l < count; ++l) values[i + l] = static_cast<Number>(rounded[l]);
    }
  }
}

}  // namespace impl

}  // namespace ipuflow::train
