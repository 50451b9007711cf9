// SPDX-License-Identifier: BSL-1.0
// A codelet of more operands than a vertex has.
// expect: ipuflow: a codelet has 9 operands, a vertex has at most 8; give numbers as fields, or let operands share a variable
#include <ipuflow/ipu/program/codelet.hpp>

#include <span>

using namespace ipuflow;

using in = std::span<const float>;

constexpr auto cost = [](const ipu::architecture&, ipu::lengths n) { return ipu::vertex_cost{.bundles = n[0]}; };

#ifdef EXPECT_FAILURE
constexpr auto body = [](in, in, in, in, in, in, in, in, std::span<float>) {};
#else
constexpr auto body = [](in, in, in, in, in, in, in, std::span<float>) {};
#endif

auto many() { return ipu::codelet(ipu::name_from("many"), bytes{16}, body, cost); }
