// SPDX-License-Identifier: BSL-1.0
// A system whose chips have no links.
// expect: ipuflow: the chips of a system have no links to their neighbours; give at least one and its bandwidth
#include <ipuflow/ipu/machine/chip_system.hpp>

using namespace ipuflow;

constexpr ipu::chip_system mine = [] {
  ipu::chip_system all = ipu::pod(ipu::mk2, 4);
#ifdef EXPECT_FAILURE
  all.links_between_neighbours = 0;
#else
  all.links_between_neighbours = 2;
#endif
  return all;
}();

static_assert(accept<ipu::verify(mine)>());
