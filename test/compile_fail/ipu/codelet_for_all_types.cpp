// SPDX-License-Identifier: BSL-1.0
// A codelet for spans of any type.
// expect: ipuflow: .* is no code of a codelet; give a lambda of spans, without mutable or auto, that returns nothing
#include <ipuflow/ipu/program/codelet.hpp>

#include <span>

using namespace ipuflow;

constexpr auto cost = [](const ipu::architecture&, ipu::lengths n) { return ipu::vertex_cost{.bundles = n[0]}; };

#ifdef EXPECT_FAILURE
constexpr auto body = [](auto x, auto y) { y[0] = 2 * x[0]; };
#else
constexpr auto body = [](std::span<const float> x, std::span<float> y) { y[0] = 2 * x[0]; };
#endif

auto twice() { return ipu::codelet(ipu::name_from("twice"), bytes{16}, body, cost); }
