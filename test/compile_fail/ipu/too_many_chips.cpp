// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a system of 128 chips is more than the ladder holds; give it at most 64
#include <ipuflow/ipu/machine/chip_system.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t chips = 128;
#else
constexpr std::size_t chips = 64;
#endif

static_assert(accept<ipu::verify(ipu::pod(ipu::bow, chips))>());
