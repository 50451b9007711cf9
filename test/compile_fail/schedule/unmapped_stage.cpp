// SPDX-License-Identifier: BSL-1.0
// A stage without a device.
// expect: ipuflow: stage 1 is on no IPU; give each stage an IPU
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

constexpr auto with_gap = [] {
  schedule::device_map<2> map;
  map.add(0, 0);
  map.add(2, 1);
  return map;
}();

#ifdef EXPECT_FAILURE
static_assert(accept<schedule::verify(schedule::grouped(with_gap, micro_batches<6>))>());
#else
static_assert(accept<schedule::verify(schedule::grouped(schedule::devices(0, 1, 1), micro_batches<6>))>());
#endif
