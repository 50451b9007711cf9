// SPDX-License-Identifier: BSL-1.0
// Racks that machines of four do not fill.
// expect: ipuflow: a rack of a system has room for 18 chips, in machines of 4; make chips_per_rack a multiple of chips_per_machine
#include <ipuflow/ipu/machine/chip_system.hpp>

using namespace ipuflow;

constexpr ipu::chip_system mine = [] {
  ipu::chip_system all = ipu::pod(ipu::mk2, 32);
#ifdef EXPECT_FAILURE
  all.chips_per_rack = 18;
#else
  all.chips_per_rack = 16;
#endif
  return all;
}();

static_assert(accept<ipu::verify(mine)>());
