// SPDX-License-Identifier: BSL-1.0
// The values of the elementwise functions and their derivatives, in float, for codelets and for tests.
#pragma once

#include <ipuflow/ipu/cost/elementwise_cost.hpp>

#include <cmath>
#include <numbers>
#include <string_view>

namespace ipuflow::ipu {

[[nodiscard]] constexpr std::string_view name_of(unary op) {
  constexpr std::string_view names[] = {"exp",    "log",    "tanh", "sigmoid", "sqrt", "rsqrt", "reciprocal", "relu",
                                        "square", "negate", "gelu", "erf",     "sin",  "cos",   "copy"};
  return names[static_cast<std::size_t>(op)];
}
[[nodiscard]] constexpr std::string_view name_of(binary op) {
  constexpr std::string_view names[] = {"add", "sub", "mul", "div", "max", "min", "less", "greater", "equal", "pow"};
  return names[static_cast<std::size_t>(op)];
}

template <class = void>
[[nodiscard]] inline float value_of(unary op, float x) {
  switch (op) {
    case unary::exp:
      return std::exp(x);
    case unary::log:
      return std::log(x);
    case unary::tanh:
      return std::tanh(x);
    case unary::sigmoid:
      return 1 / (1 + std::exp(-x));
    case unary::sqrt:
      return std::sqrt(x);
    case unary::rsqrt:
      return 1 / std::sqrt(x);
    case unary::reciprocal:
      return 1 / x;
    case unary::relu:
      return x > 0 ? x : 0;
    case unary::square:
      return x * x;
    case unary::negate:
      return -x;
    case unary::gelu:
      return 0.5f * x * (1 + std::erf(x * std::numbers::sqrt2_v<float> / 2));
    case unary::erf:
      return std::erf(x);
    case unary::sin:
      return std::sin(x);
    case unary::cos:
      return std::cos(x);
    default:
      return x;
  }
}

/// Comparisons give 1 or 0.
template <class = void>
[[nodiscard]] inline float value_of(binary op, float a, float b) {
  switch (op) {
    case binary::add:
      return a + b;
    case binary::sub:
      return a - b;
    case binary::mul:
      return a * b;
    case binary::div:
      return a / b;
    case binary::max:
      return a > b ? a : b;
    case binary::min:
      return a < b ? a : b;
    case binary::less:
      return a < b ? 1.0f : 0.0f;
    case binary::greater:
      return a > b ? 1.0f : 0.0f;
    case binary::equal:
      return a == b ? 1.0f : 0.0f;
    default:
      return std::pow(a, b);
  }
}

/// The slope at an output `y`; of gelu, at an input.
template <class = void>
[[nodiscard]] inline float slope_of(gradient op, float y) {
  switch (op) {
    case gradient::relu:
      return y > 0 ? 1.0f : 0.0f;
    case gradient::sigmoid:
      return y * (1 - y);
    case gradient::tanh:
      return 1 - y * y;
    default:
      return 0.5f * (1 + std::erf(y * std::numbers::sqrt2_v<float> / 2)) +
             y * std::exp(-0.5f * y * y) * std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
  }
}

}  // namespace ipuflow::ipu
