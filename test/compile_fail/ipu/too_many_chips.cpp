// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a system of 2048 chips is more than racks are joined for; give it at most 1024
#include <ipuflow/ipu/machine/chip_system.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr std::size_t chips = 2048;
#else
constexpr std::size_t chips = 1024;
#endif

static_assert(accept<ipu::verify(ipu::pod(ipu::bow, chips))>());
