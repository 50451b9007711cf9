// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: interval 1 of a mapping begins at element 600 but the one before ends at 500; map every element
#include <ipuflow/ipu/program/mapping.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t second = 600;
#else
constexpr std::size_t second = 500;
#endif

static_assert(accept<ipu::verify(ipu::mapping{{0, 500, 0}, {second, 1000, 1}}, 1000, 2)>());
