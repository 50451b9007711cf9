// SPDX-License-Identifier: BSL-1.0
// A codelet on elements that a tile cannot compute with.
// expect: ipuflow: a codelet has an operand span<const double.*; let its elements be half, float, std::int32_t, std::uint32_t or std::uint8_t
#include <ipuflow/ipu/program/codelet.hpp>

#include <span>

using namespace ipuflow;

constexpr auto cost = [](const ipu::architecture&, ipu::lengths n) { return ipu::vertex_cost{.bundles = n[0]}; };

#ifdef EXPECT_FAILURE
constexpr auto body = [](std::span<const double> x, std::span<double> y) { y[0] = 2 * x[0]; };
#else
constexpr auto body = [](std::span<const float> x, std::span<float> y) { y[0] = 2 * x[0]; };
#endif

auto twice() { return ipu::codelet(ipu::name_from("twice"), bytes{16}, body, cost); }
