// SPDX-License-Identifier: BSL-1.0
// A codelet that takes its memory as vectors.
// expect: ipuflow: .*vector<float.* is no operand of a codelet; let it be a std::span, of const elements if it is only read, or an ipu::inout
#include <ipuflow/ipu/program/codelet.hpp>

#include <span>
#include <vector>

using namespace ipuflow;

constexpr auto cost = [](const ipu::architecture&, ipu::lengths n) { return ipu::vertex_cost{.bundles = n[0]}; };

#ifdef EXPECT_FAILURE
constexpr auto body = [](const std::vector<float>& x, std::vector<float>& y) { y[0] = 2 * x[0]; };
#else
constexpr auto body = [](std::span<const float> x, std::span<float> y) { y[0] = 2 * x[0]; };
#endif

auto twice() { return ipu::codelet(ipu::name_from("twice"), bytes{16}, body, cost); }
