// SPDX-License-Identifier: BSL-1.0
// Two intervals of a mapping hold the same elements.
// expect: ipuflow: interval 1 of a mapping begins at element 400, inside the one before, which ends at 500; map every element once
#include <ipuflow/ipu/program/mapping.hpp>

using namespace ipuflow;


#ifdef EXPECT_FAILURE
constexpr std::size_t second = 400;
#else
constexpr std::size_t second = 500;
#endif

static_assert(accept<ipu::verify(ipu::mapping{{0, 500, 0}, {second, 1000, 1}}, 1000, 2)>());
