// SPDX-License-Identifier: BSL-1.0
// The elementwise functions: a row for each, with its name, its cost, and its values in float. A program that needs another one
// makes a row of their own. Costs are bundles for elements of a worker's inner loop, of float and of half, with their source above
// each group: tables of poplibs [PL], of which other versions have other figures for single rows.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>

#include <cstddef>
#include <numbers>

namespace ipuflow::ipu {

/// A loop over many numbers, from the function of one: what a row has.
template <class Value>
constexpr auto each_value(Value) {
  return [](const float* x, float* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] = Value{}(x[i]);
  };
}
template <class Value>
constexpr auto each_value_of_two(Value) {
  return [](const float* a, const float* b, float* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] = Value{}(a[i], b[i]);
  };
}
template <class Slope>
constexpr auto each_gradient(Slope) {
  return [](const float* seen, const float* d_out, float* d_in, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) d_in[i] = Slope{}(seen[i]) * d_out[i];
  };
}

namespace impl {

/// A gelu or swish of a number below the first end is zero, and its slope beyond either is the one there, where infinity
/// would meet a zero.
constexpr float above_end(float x) { return x < -1e4f ? -1e4f : x; }
constexpr float within_ends(float x) { return x > 1e4f ? 1e4f : above_end(x); }

}  // namespace impl

// [PL popops, popopsCycleEstimators: unaryOpPerfInfo]
inline constexpr unary unary::exp{"exp", {6, 2}, {4, 4}, each_value([](float x) { return math::exp(x); }), 33};
inline constexpr unary unary::log{"log", {12, 2}, {4, 4}, each_value([](float x) { return math::log(x); })};
inline constexpr unary unary::tanh{"tanh", {12, 2}, {4, 4}, each_value([](float x) { return math::tanh(x); })};
inline constexpr unary unary::sigmoid{
    "sigmoid", {12, 2}, {6, 4}, each_value([](float x) { return 1 / (1 + math::exp(-x)); })};
inline constexpr unary unary::sqrt{"sqrt", {10, 2}, {23, 4}, each_value([](float x) { return math::sqrt(x); })};
inline constexpr unary unary::rsqrt{"rsqrt", {8, 2}, {19, 4}, each_value([](float x) { return 1 / math::sqrt(x); })};
inline constexpr unary unary::reciprocal{"reciprocal", {6, 2}, {15, 4}, each_value([](float x) { return 1 / x; })};
inline constexpr unary unary::relu{"relu", {3, 2}, {3, 4}, each_value([](float x) { return 0 > x ? 0 : x; })};
inline constexpr unary unary::square{"square", {2, 2}, {2, 4}, each_value([](float x) { return x * x; })};
inline constexpr unary unary::negate{"negate", {2, 2}, {2, 4}, each_value([](float x) { return -x; })};
inline constexpr unary unary::gelu{
    "gelu", {22, 1}, {16, 1},
    each_value([](float x) {
      return 0.5f * impl::above_end(x) * (1 + math::erf(x * std::numbers::sqrt2_v<float> / 2));
    })};
/// A sigmoid's loop, and a bundle more for the product: its operations there are two [PL popnn, nonlinearityFlops].
inline constexpr unary unary::swish{
    "swish", {13, 2}, {7, 4}, each_value([](float x) { return impl::above_end(x) / (1 + math::exp(-x)); })};
inline constexpr unary unary::erf{"erf", {41, 1}, {13, 1}, each_value([](float x) { return math::erf(x); })};
inline constexpr unary unary::sin{"sin", {2300, 1}, {25, 1}, each_value([](float x) { return math::sin(x); })};
inline constexpr unary unary::cos{"cos", {2300, 1}, {25, 1}, each_value([](float x) { return math::cos(x); })};
/// It loads and stores as `negate` does [assumed].
inline constexpr unary unary::copy{"copy", {2, 2}, {2, 4}, each_value([](float x) { return x; })};

// [PL popops, popopsCycleEstimators: binaryOpPerfInfo]
inline constexpr binary binary::add{"add", {3, 2}, {3, 4}, each_value_of_two([](float a, float b) { return a + b; })};
inline constexpr binary binary::sub{"sub", {3, 2}, {3, 4}, each_value_of_two([](float a, float b) { return a - b; })};
inline constexpr binary binary::mul{"mul", {3, 2}, {3, 4}, each_value_of_two([](float a, float b) { return a * b; })};
inline constexpr binary binary::div{"div", {10, 2}, {21, 4}, each_value_of_two([](float a, float b) { return a / b; })};
inline constexpr binary binary::max{
    "max", {3, 2}, {4, 4}, each_value_of_two([](float a, float b) { return a > b ? a : b; })};
inline constexpr binary binary::min{
    "min", {3, 2}, {4, 4}, each_value_of_two([](float a, float b) { return a < b ? a : b; })};
/// Comparisons give 1 or 0.
inline constexpr binary binary::less{
    "less", {14, 4}, {9, 4}, each_value_of_two([](float a, float b) { return a < b ? 1.0f : 0.0f; })};
inline constexpr binary binary::greater{
    "greater", {14, 4}, {9, 4}, each_value_of_two([](float a, float b) { return a > b ? 1.0f : 0.0f; })};
inline constexpr binary binary::equal{
    "equal", {14, 4}, {9, 4}, each_value_of_two([](float a, float b) { return a == b ? 1.0f : 0.0f; })};
inline constexpr binary binary::pow{
    "pow", {312, 1}, {325, 1}, each_value_of_two([](float a, float b) { return math::pow(a, b); })};

// [PL popnn, popnnCycleEstimators]
inline constexpr gradient gradient::relu{{3, 2}, {3, 4}, [](const float* y, const float* d_out, float* d_in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) d_in[i] = y[i] > 0 ? d_out[i] : 0;  // a product would make infinity a NaN
}};
inline constexpr gradient gradient::sigmoid{{3, 2}, {3, 4}, each_gradient([](float y) { return y * (1 - y); })};
inline constexpr gradient gradient::tanh{{3, 2}, {3, 4}, each_gradient([](float y) { return 1 - y * y; })};
inline constexpr gradient gradient::gelu{
    {10, 2}, {5, 4}, each_gradient([](float x) {
      return 0.5f * (1 + math::erf(x * std::numbers::sqrt2_v<float> / 2)) +
             impl::within_ends(x) * math::exp(-0.5f * x * x) * std::numbers::inv_sqrtpi_v<float> /
                 std::numbers::sqrt2_v<float>;
    }),
    true};
/// A sigmoid's loop, and a bundle for each of the four operations more [PL popnn, nonlinearityGradFlops].
inline constexpr gradient gradient::swish{
    {16, 2}, {10, 4}, each_gradient([](float x) {
      const float share = 1 / (1 + math::exp(-x));
      return share + impl::within_ends(x) * share * (1 - share);
    }),
    true};

}  // namespace ipuflow::ipu
