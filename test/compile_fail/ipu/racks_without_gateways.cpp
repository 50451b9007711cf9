// SPDX-License-Identifier: BSL-1.0
// Two racks with nothing between them.
// expect: ipuflow: a system of 128 chips in racks of 64 has no gateway links between them; give gateway_bandwidth, or fewer chips
#include <ipuflow/ipu/machine/chip_system.hpp>

using namespace ipuflow;

constexpr ipu::chip_system mine = [] {
  ipu::chip_system all = ipu::pod(ipu::mk2, 128);
#ifdef EXPECT_FAILURE
  all.gateway_bandwidth = 0;
#else
  all.gateway_bandwidth = 25e9;
#endif
  return all;
}();

static_assert(accept<ipu::verify(mine)>());
