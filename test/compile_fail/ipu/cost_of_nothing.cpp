// SPDX-License-Identifier: BSL-1.0
// A cost that does not ask for the lengths of the operands.
// expect: ipuflow: .* is no cost of this codelet; give a function of \(const ipu::architecture&, ipu::lengths\), and the fields if it has any, that returns an ipu::vertex_cost
#include <ipuflow/ipu/program/codelet.hpp>

#include <span>

using namespace ipuflow;

constexpr auto body = [](std::span<const float> x, std::span<float> y) { y[0] = 2 * x[0]; };

#ifdef EXPECT_FAILURE
constexpr auto cost = [] { return ipu::vertex_cost{.bundles = 4}; };
#else
constexpr auto cost = [](const ipu::architecture&, ipu::lengths n) { return ipu::vertex_cost{.bundles = n[0]}; };
#endif

auto twice() { return ipu::codelet(ipu::name_from("twice"), bytes{16}, body, cost); }
