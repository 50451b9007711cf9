// SPDX-License-Identifier: BSL-1.0
// A pipeline whose stages are elsewhere than its schedule has them.
// expect: ipuflow: not the stage.{1,2}s IPU: forward in stage 0 on IPU 1; that stage is on IPU 0
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

struct backwards {
  static constexpr std::size_t stage_count = 2;
  constexpr std::size_t ipu_of(std::size_t stage) const { return 1 - stage; }
};

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::one_f_one_b(backwards{}, micro_batches<4>))>());
#else
static_assert(accept<schedule::verify(schedule::grouped(backwards{}, micro_batches<4>))>());
#endif
