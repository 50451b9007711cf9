// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a picture of memory is asked for of something that is no ipu::profile; of a run on chips give its member chips
#include <ipuflow/report/chips/memory_svg.hpp>
#include <ipuflow/run/chips/profile.hpp>

using namespace ipuflow;

void show() {
#ifdef EXPECT_FAILURE
  (void)report::memory_over_steps_svg(run::chips_profile{});
#else
  (void)report::memory_over_steps_svg(run::chips_profile{}.chips);
#endif
}
