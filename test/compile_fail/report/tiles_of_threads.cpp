// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a picture of memory is asked for of something that is no ipu::profile; of a run on chips give its member chips
#include <ipuflow/report/chips/memory_svg.hpp>
#include <ipuflow/run/trace.hpp>

using namespace ipuflow;

void show() {
#ifdef EXPECT_FAILURE
  (void)report::memory_by_tile_svg(run::trace{10});
#else
  (void)report::memory_by_tile_svg(ipu::profile{});
#endif
}
