// SPDX-License-Identifier: BSL-1.0
// A pipeline whose stages are elsewhere than its schedule has them.
// expect: ipuflow: this schedule has stage 0 on IPU 0, the pipeline on IPU 1; place it there, or take a schedule for any placement: grouped, 
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

struct backwards {
  static constexpr std::size_t stage_count = 2;
  constexpr std::size_t ipu_of(std::size_t stage) const { return 1 - stage; }
};

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::zb1p(backwards{}, micro_batches<4>))>());
#else
static_assert(accept<schedule::verify(schedule::grouped(backwards{}, micro_batches<4>))>());
#endif
